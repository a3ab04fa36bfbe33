/** A 429 with `Retry-After` to one free call: all free calls of the account wait. */
import type { LedgerDeps, ServiceDeps } from '../deps.js';
import { notYet } from '../to-failure.js';

const LEAST_WAIT_MS = 1_000;

/** For reads that consist of many requests: throws "not yet" while the account has to wait. */
export async function respectThrottle(
  deps: Pick<ServiceDeps & LedgerDeps, 'clock' | 'ledger'>,
  account: string,
): Promise<void> {
  const hold = await deps.ledger.holdOf(account, { free: true });
  if (hold?.because === 'throttled') throw throttled(deps, hold.untilMs);
}

export function throttled({ clock }: Pick<ServiceDeps, 'clock'>, untilMs: number): Error {
  return notYet('the service asked the account to wait', Math.max(untilMs - clock.nowMs(), LEAST_WAIT_MS));
}
