/** The balance of an account as the service tells it now, free; undefined where it does not. */
import { readBalance, type Amount } from '../../contract/index.js';
import { readFree, type FreeRead } from '../../http/index.js';
import type { LedgerDeps, ServiceDeps } from '../deps.js';

export async function balanceOf(
  deps: ServiceDeps & Pick<LedgerDeps, 'ledger'>,
  read: Pick<FreeRead, 'account' | 'totalMs' | 'reader'>,
): Promise<Amount | undefined> {
  const answer = await readFree(deps, { ...read, operation: 'getBalance', params: {} });
  if (answer.kind !== 'read' || answer.judgement.outcome !== 'DONE') return undefined;
  return readBalance(answer.judgement.body)?.credits;
}
