/**
 * A call that the floor of its account stops is the only thing that could tell a newer balance. So the balance is read, free, and
 * where it makes room it is booked: after a top-up calls go on.
 */
import type { IntentVerdict } from '../../ledger/index.js';
import type { ChargedCallInput } from '../../protocol/index.js';
import type { AccountDeps, LedgerDeps, ServiceDeps } from '../deps.js';
import { balanceOf } from '../free/read-balance.js';
import { nameOfError } from '../to-failure.js';

/** A send still fits under the age fence. */
const TOTAL_MS = 4_000;

type Deps = ServiceDeps & Pick<LedgerDeps, 'ledger' | 'mayLookSoon'>;

/** True: there is room now, as the ledger knows; ask it again. */
export async function madeRoom(
  deps: Deps,
  account: AccountDeps,
  {
    verdict,
    input,
  }: {
    readonly verdict: Extract<IntentVerdict, { readonly kind: 'over budget' }>;
    readonly input: Pick<ChargedCallInput, 'workflowId' | 'firstRunId' | 'workflowType'>;
  },
): Promise<boolean> {
  if (verdict.cap !== 'balance') return false;
  const { workflowId, firstRunId, workflowType } = input;
  const reader = { workflowId, firstRunId, workflowType };
  try {
    // Thousands may be stopped together, and polls of paid work go by the same limit of the service.
    if (!(await deps.mayLookSoon(account.name))) return false;
    const askedAtMs = deps.clock.nowMs();
    const balance = await balanceOf(deps, { account, totalMs: TOTAL_MS, reader });
    if (balance === undefined || balance < verdict.needed) return false;
    await deps.ledger.bookBalance({ ...reader, account: account.name, balance, askedAtMs });
    return true;
  } catch (error) {
    deps.log.warn({ account: account.name, error: nameOfError(error) }, 'the balance could not be read or booked');
    return false;
  }
}
