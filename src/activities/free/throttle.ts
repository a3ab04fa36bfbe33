/** The service's wish that an account wait (429 with `Retry-After`), answered to a free call: kept by all free calls. */
import type { LedgerDeps, ServiceDeps } from '../deps.js';
import { notYet } from '../to-failure.js';

const LEAST_WAIT_MS = 1_000;

/** For reads that go on by themselves: "not yet" while the service wants the account to wait. */
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
