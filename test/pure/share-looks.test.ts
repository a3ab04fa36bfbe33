/** How often thousands of flows that wait for one account query the database. */
import { shareLooks } from '../../src/workers/share-looks.js';

const HELD = { because: 'outage', sinceMs: 1, failures: 3 } as const;

function world() {
  const clock = { ms: 1_000, nowMs: () => clock.ms, monotonicMs: () => clock.ms };
  const queries: string[] = [];
  let isFree = true;
  const looks = shareLooks(
    {
      holdOf: (account, { free }) => {
        queries.push(`hold ${account} ${String(free)}`);
        return Promise.resolve(HELD);
      },
      claimProbe: (account) => {
        queries.push(`claim ${account}`);
        const claimed = isFree;
        isFree = false;
        return Promise.resolve(claimed ? { claimed } : { claimed, nextAtMs: 61_000 });
      },
      releaseHold: () => Promise.resolve(),
      throttle: () => Promise.resolve(),
    },
    clock,
  );
  return { clock, queries, looks };
}

test('holdOf queries the database once for all callers of the same second', async () => {
  const { clock, queries, looks } = world();
  const ask = () => Promise.all(Array.from({ length: 10_000 }, () => looks.holdOf('a', { free: false })));
  expect(new Set(await ask())).toEqual(new Set([HELD]));
  expect(queries).toHaveLength(1);
  clock.ms += 999;
  await ask();
  expect(queries).toHaveLength(1);
  clock.ms += 1;
  await ask();
  expect(queries).toHaveLength(2);
});

test('holdOf queries separately for free calls, charged calls and each account', async () => {
  const { queries, looks } = world();
  await Promise.all([
    looks.holdOf('a', { free: false }),
    looks.holdOf('a', { free: true }),
    looks.holdOf('b', { free: true }),
  ]);
  expect(queries).toEqual(['hold a false', 'hold a true', 'hold b true']);
});

test('claimProbe grants the probe to one of many callers, and tells the others when to try again', async () => {
  const { queries, looks } = world();
  const claims = await Promise.all(Array.from({ length: 1_000 }, () => looks.claimProbe('a')));
  expect(claims.filter(({ claimed }) => claimed)).toHaveLength(1);
  expect(claims.filter((claim) => !claim.claimed && claim.nextAtMs === 61_000)).toHaveLength(999);
  expect(queries).toEqual(['claim a']);
});

test('holdOf sees a change of this process at once', async () => {
  const { queries, looks } = world();
  await looks.holdOf('a', { free: true });
  await looks.throttle('a', 9_000);
  await looks.holdOf('a', { free: true });
  await looks.releaseHold('a');
  await looks.holdOf('a', { free: true });
  expect(queries).toHaveLength(3);
});
