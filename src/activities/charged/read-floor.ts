/**
 * While the floor of an account stops its calls, no answer reports a newer balance. So a stopped call reads the balance, for
 * free, and books it if it leaves room for the call: after a top-up, calls continue.
 */
import { present, type Amount } from '../../contract/index.js';
import { nameOfError } from '../../contract/values/index.js';
import type { IntentVerdict } from '../../ledger/index.js';
import type { ChargedCallInput, UnexpectedRead } from '../../protocol/index.js';
import type { AccountDeps, LedgerDeps, ServiceDeps } from '../deps.js';
import { readBalanceNow } from '../free/read-balance.js';

/** Short enough for a send to fit under the age fence. */
const TOTAL_MS = 4_000;

type Deps = ServiceDeps & Pick<LedgerDeps, 'ledger' | 'mayLookSoon'>;

export interface FloorRead {
  /** A balance with room for the call was booked: open the intent again. */
  readonly madeRoom: boolean;
  /** The balance that the service has just reported, if it leaves no room. */
  readonly balance?: Amount;
  /** What the read has cost, although it should be free. */
  readonly unexpected?: UnexpectedRead;
}

export async function readFloor(
  deps: Deps,
  account: AccountDeps,
  stopped: {
    readonly verdict: Extract<IntentVerdict, { readonly kind: 'over budget' }>;
    readonly input: Pick<ChargedCallInput, 'workflowId' | 'firstRunId' | 'workflowType'>;
  },
): Promise<FloorRead> {
  const { verdict, input } = stopped;
  if (verdict.cap !== 'balance') return { madeRoom: false };
  const { workflowId, firstRunId, workflowType } = input;
  const reader = { workflowId, firstRunId, workflowType };
  let cost: Pick<FloorRead, 'unexpected'> = {};
  try {
    // Thousands of calls may be stopped at once, and polls of paid work share the same rate limit.
    if (!(await deps.mayLookSoon(account.name))) return { madeRoom: false };
    const askedAtMs = deps.clock.nowMs();
    const { balance, unexpected } = await readBalanceNow(deps, { account, totalMs: TOTAL_MS, reader });
    cost = present({ unexpected });
    if (balance === undefined) return { madeRoom: false, ...cost };
    if (balance < verdict.needed) return { madeRoom: false, balance, ...cost };
    await deps.ledger.bookBalance({ ...reader, account: account.name, balance, askedAtMs });
    return { madeRoom: true, ...cost };
  } catch (error) {
    deps.log.warn({ account: account.name, error: nameOfError(error) }, 'the balance could not be read or booked');
    return { madeRoom: false, ...cost };
  }
}
