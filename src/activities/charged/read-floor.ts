/**
 * A call that the floor of its account stops is the only thing that could tell a newer balance. So the balance is read, free, and
 * where it makes room it is booked: after a top-up calls go on.
 */
import { present, type Amount } from '../../contract/index.js';
import { nameOfError } from '../../contract/values/index.js';
import type { IntentVerdict } from '../../ledger/index.js';
import type { ChargedCallInput, UnexpectedRead } from '../../protocol/index.js';
import type { AccountDeps, LedgerDeps, ServiceDeps } from '../deps.js';
import { readBalanceNow } from '../free/read-balance.js';

/** A send still fits under the age fence. */
const TOTAL_MS = 4_000;

type Deps = ServiceDeps & Pick<LedgerDeps, 'ledger' | 'mayLookSoon'>;

export interface FloorRead {
  /** There is room now, as the ledger knows; ask it again. */
  readonly madeRoom: boolean;
  /** That leaves no room, as the service has reported it now. */
  readonly balance?: Amount;
  /** What the read has cost, although it should be free. */
  readonly unexpected?: UnexpectedRead;
}

export async function readFloor(
  deps: Deps,
  account: AccountDeps,
  {
    verdict,
    input,
  }: {
    readonly verdict: Extract<IntentVerdict, { readonly kind: 'over budget' }>;
    readonly input: Pick<ChargedCallInput, 'workflowId' | 'firstRunId' | 'workflowType'>;
  },
): Promise<FloorRead> {
  if (verdict.cap !== 'balance') return { madeRoom: false };
  const { workflowId, firstRunId, workflowType } = input;
  const reader = { workflowId, firstRunId, workflowType };
  let cost: Pick<FloorRead, 'unexpected'> = {};
  try {
    // Thousands may be stopped together, and polls of paid work go by the same limit of the service.
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
