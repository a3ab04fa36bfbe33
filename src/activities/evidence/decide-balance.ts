/**
 * What two quiet readings of an exclusive account's balance say about the one unknown charge between them. Pure.
 * Quiet means that no other intent was open, unknown or pending around the reading. The opening reading may be old: the charge
 * of every row since then must be known, or nothing is decided.
 */
import { DAY_MS } from '../../contract/values/index.js';
import type { Amount, Operation } from '../../contract/index.js';
import type { QuietState } from '../../ledger/index.js';
import type { AccountDeps } from '../deps.js';

interface BalanceFacts {
  readonly opening: Amount;
  readonly now: Amount;
  /** Sum of the charges of the rows in between; null if one of them is not known. */
  readonly chargedBetween: Amount | null;
  /** A monitor may have been billed since the opening reading. */
  readonly mayHaveBilled: boolean;
  /** A charge may have been refunded: the balance then looks as if there had been none. */
  readonly mayHaveRefunded: boolean;
}

type BalanceVerdict =
  | { readonly says: 'not charged' }
  | { readonly says: 'charged'; readonly amount: Amount }
  | { readonly says: 'nothing'; readonly because: string };

export function decideBalance(facts: BalanceFacts): BalanceVerdict {
  const { opening, now, chargedBetween, mayHaveBilled, mayHaveRefunded } = facts;
  if (chargedBetween === null)
    return { says: 'nothing', because: 'the amount of another charge since then is not known' };
  const residual = opening - chargedBetween - now;
  // No number of readings shows a charge that was refunded before the next reading (docs/decisions/0028).
  if (residual === 0 && mayHaveRefunded) {
    return {
      says: 'nothing',
      because: 'unchanged, but a refund may hide a charge; "refunds": "never" in the account would rule that out',
    };
  }
  // Monitors only lower the balance: if nothing is missing, none was billed either.
  if (residual === 0) return { says: 'not charged' };
  if (residual < 0) return { says: 'nothing', because: 'it has grown: a top-up or a refund' };
  if (mayHaveBilled) return { says: 'nothing', because: 'a monitor may have been billed meanwhile' };
  return { says: 'charged', amount: residual as Amount };
}

/**
 * Why the balance is not read, for people; undefined if it can show the charge. If the service debits at the end of the work,
 * the balance shows nothing of a call in progress.
 */
export function whyBalanceIsSilent(
  { exclusive, debitAt }: Pick<AccountDeps, 'exclusive' | 'debitAt'>,
  { eligible202 }: Pick<Operation<string>, 'eligible202'>,
): string | undefined {
  if (!exclusive) return 'others may spend from it';
  if (debitAt === 'unknown') return 'debitAt of the account is not configured';
  return debitAt === 'completion' && eligible202 ? 'the service debits at the end of the work' : undefined;
}

type Activity = Omit<QuietState, 'clearTo'>;

/**
 * Whether nothing of the account moved between the two: no row was in progress, none is new, and no transaction was open that
 * could still write a row with an earlier sequence number.
 */
export function stayedQuiet(before: Activity, after: Activity): boolean {
  const settled = before.busy === 0 && after.busy === 0 && after.endedBelow >= before.begunBelow;
  return settled && after.seq === before.seq && after.recentRows === before.recentRows;
}

/** A monitor as it was when the service last listed it. */
interface BillingMonitor {
  /** Civil day, `yyyy-mm-dd`; null where the service does not say. */
  readonly nextDebitOn: string | null;
  readonly askedAtMs: number;
  readonly toldAtMs: number;
}

/** Whether a monitor may have been debited within the interval: by the date that the service gives, a day early. */
export function mayHaveBilled(
  { nextDebitOn, askedAtMs, toldAtMs }: BillingMonitor,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): boolean {
  if (nextDebitOn === null) return true;
  // Debits before its last record are not known, unless that is the record of its creation.
  if (toldAtMs > fromMs && toldAtMs !== askedAtMs) return true;
  return toMs >= Date.parse(`${nextDebitOn}T00:00:00Z`) - DAY_MS;
}
