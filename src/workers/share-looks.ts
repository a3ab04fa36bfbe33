/**
 * Flows of one process that wait for the same account share a look at the database: thousands may wait, and each asks again by
 * itself. What this process changes is seen at once, what others change a second later.
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
      // The look is one caller's; the others learn when the next one is due.
      return claim.claimed && !isFirst ? { claimed: false, nextAtMs: clock.nowMs() + PROBE_EVERY_MS } : claim;
    },
    releaseHold: (account) => holds.releaseHold(account).finally(() => forget(account)),
    throttle: (account, untilMs) => holds.throttle(account, untilMs).finally(() => forget(account)),
  };
}

/** One look by account, by the same rule; for a second, where nothing else is said. */
export function shareLook<T>(
  look: (account: string) => Promise<T>,
  clock: { monotonicMs(): number },
  keptMs: (account: string) => number = () => SHARED_MS,
): (account: string) => Promise<T> {
  const looks = createShared<T>(clock);
  return (account) => looks.get(account, () => look(account), keptMs(account)).result;
}

function createShared<T>(clock: { monotonicMs(): number }) {
  const kept = new Map<string, { readonly result: Promise<T>; readonly untilMs: number }>();
  return {
    get(
      key: string,
      find: () => Promise<T>,
      keptMs = SHARED_MS,
    ): { readonly result: Promise<T>; readonly isFirst: boolean } {
      const known = kept.get(key);
      if (known !== undefined && clock.monotonicMs() < known.untilMs) return { result: known.result, isFirst: false };
      const result = find();
      kept.set(key, { result, untilMs: clock.monotonicMs() + keptMs });
      return { result, isFirst: true };
    },
    forget: (key: string): void => {
      kept.delete(key);
    },
  };
}
