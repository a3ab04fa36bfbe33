/**
 * Flows of one process that wait for the same account share one look at the database: thousands may wait, and each looks again
 * and again. They see at once what this process changes, and a second later what others change.
 */
import { PROBE_EVERY_MS } from '../contract/values/index.js';
import type { Ledger } from '../ledger/index.js';

type Holds = Pick<Ledger, 'holdOf' | 'claimProbe' | 'releaseHold' | 'throttle'>;

const SHARED_MS = 1_000;

/** `monotonicMs` never goes back. */
export function shareLooks(holds: Holds, clock: { nowMs(): number; monotonicMs(): number }): Holds {
  const looks = createShared<Awaited<ReturnType<Holds['holdOf']>>>(clock);
  const claims = createShared<Awaited<ReturnType<Holds['claimProbe']>>>(clock);
  const forget = (account: string): void => {
    for (const free of [true, false]) looks.forget(`${String(free)} ${account}`);
    claims.forget(account);
  };
  return {
    holdOf: (account, { free }) =>
      looks.get(`${String(free)} ${account}`, () => holds.holdOf(account, { free })).result,
    claimProbe: async (account) => {
      const { result, isFirst } = claims.get(account, () => holds.claimProbe(account));
      const claim = await result;
      // Only the first caller gets the probe; the others learn when the next one is due.
      return claim.claimed && !isFirst ? { claimed: false, nextAtMs: clock.nowMs() + PROBE_EVERY_MS } : claim;
    },
    releaseHold: (account) => holds.releaseHold(account).finally(() => forget(account)),
    throttle: (account, untilMs) => holds.throttle(account, untilMs).finally(() => forget(account)),
  };
}

/** Shares one look per account in the same way, for a second unless `keptMs` says otherwise. */
export function shareLook<T>(
  look: (account: string) => Promise<T>,
  clock: { monotonicMs(): number },
  keptMs: (account: string) => number = () => SHARED_MS,
): (account: string) => Promise<T> {
  const looks = createShared<T>(clock);
  return (account) => looks.get(account, () => look(account), keptMs(account)).result;
}

function createShared<T>(clock: { monotonicMs(): number }) {
  const looks = new Map<string, { readonly result: Promise<T>; readonly untilMs: number }>();
  return {
    get(
      key: string,
      find: () => Promise<T>,
      keptMs = SHARED_MS,
    ): { readonly result: Promise<T>; readonly isFirst: boolean } {
      const shared = looks.get(key);
      if (shared !== undefined && clock.monotonicMs() < shared.untilMs)
        return { result: shared.result, isFirst: false };
      const result = find();
      looks.set(key, { result, untilMs: clock.monotonicMs() + keptMs });
      return { result, isFirst: true };
    },
    forget: (key: string): void => {
      looks.delete(key);
    },
  };
}
