/** The service's wish that an account wait (429 with `Retry-After`), told to a free call: noted for all free calls, and kept by them. */
import type { Exchange } from '../../http/index.js';
import type { ActivityDeps } from '../deps.js';
import { notYet } from '../to-failure.js';

const TOO_MANY_REQUESTS = 429;
const LEAST_WAIT_MS = 1_000;

/** For reads that go on by themselves: "not yet" while the service wants the account to wait. */
export async function respectThrottle(deps: ActivityDeps, account: string): Promise<void> {
  const hold = await deps.ledger.holdOf(account, { free: true });
  if (hold?.because === 'throttled') throw throttled(deps, hold.untilMs);
}

export function throttled({ clock }: Pick<ActivityDeps, 'clock'>, untilMs: number): Error {
  return notYet('the service asked the account to wait', Math.max(untilMs - clock.nowMs(), LEAST_WAIT_MS));
}

/** `waitMs`: as the answer said; null where it did not. */
export async function noteThrottle(
  deps: ActivityDeps,
  account: string,
  { exchange, waitMs }: { readonly exchange: Exchange; readonly waitMs: number | null },
): Promise<void> {
  if (waitMs === null || waitMs === 0) return;
  if (!('head' in exchange) || exchange.head.status !== TOO_MANY_REQUESTS) return;
  await deps.ledger.throttle(account, deps.clock.nowMs() + waitMs);
}
