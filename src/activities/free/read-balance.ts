/** The balance of an account as the service reports it now, for free; undefined if it reports none. */
import { present, readBalance, type Amount } from '../../contract/index.js';
import { readFree, type FreeRead } from '../../http/index.js';
import type { UnexpectedRead } from '../../protocol/index.js';
import type { LedgerDeps, ServiceDeps } from '../deps.js';

/** `unexpected`: what the read has cost although it should be free. */
export async function readBalanceNow(
  deps: ServiceDeps & Pick<LedgerDeps, 'ledger'>,
  read: Pick<FreeRead, 'account' | 'totalMs' | 'reader'>,
): Promise<{ readonly balance: Amount | undefined; readonly unexpected?: UnexpectedRead }> {
  const answer = await readFree(deps, { ...read, operation: 'getBalance', params: {} });
  if (answer.kind !== 'read') return { balance: undefined };
  const { judgement, unexpected } = answer;
  const balance = judgement.outcome === 'DONE' ? readBalance(judgement.body)?.credits : undefined;
  return { balance, ...present({ unexpected }) };
}
