/** Thousands of flows that wait for one account: how often the database is asked. */
import { shareLooks } from '../../src/workers/share-looks.js';

const HELD = { because: 'outage', sinceMs: 1, failures: 3 } as const;

function world() {
  const clock = { ms: 1_000, nowMs: () => clock.ms, monotonicMs: () => clock.ms };
  const asked: string[] = [];
  let isFree = true;
  const looks = shareLooks(
    {
      holdOf: (account, { free }) => {
        asked.push(`hold ${account} ${String(free)}`);
        return Promise.resolve(HELD);
      },
      claimProbe: (account) => {
        asked.push(`claim ${account}`);
        const claimed = isFree;
        isFree = false;
        return Promise.resolve(claimed ? { claimed } : { claimed, nextAtMs: 61_000 });
      },
      releaseHold: () => Promise.resolve(),
      throttle: () => Promise.resolve(),
    },
    clock,
  );
  return { clock, asked, looks };
}

test('many that ask at once are one look, and another second is another one', async () => {
  const { clock, asked, looks } = world();
  const ask = () => Promise.all(Array.from({ length: 10_000 }, () => looks.holdOf('a', { free: false })));
  expect(new Set(await ask())).toEqual(new Set([HELD]));
  expect(asked).toHaveLength(1);
  clock.ms += 999;
  await ask();
  expect(asked).toHaveLength(1);
  clock.ms += 1;
  await ask();
  expect(asked).toHaveLength(2);
});

test('free calls and charged ones, and other accounts, have looks of their own', async () => {
  const { asked, looks } = world();
  await Promise.all([
    looks.holdOf('a', { free: false }),
    looks.holdOf('a', { free: true }),
    looks.holdOf('b', { free: true }),
  ]);
  expect(asked).toEqual(['hold a false', 'hold a true', 'hold b true']);
});

test('of many that want to look at the service one may, and the others are told when to ask again', async () => {
  const { asked, looks } = world();
  const claims = await Promise.all(Array.from({ length: 1_000 }, () => looks.claimProbe('a')));
  expect(claims.filter(({ claimed }) => claimed)).toHaveLength(1);
  expect(claims.filter((claim) => !claim.claimed && claim.nextAtMs === 61_000)).toHaveLength(999);
  expect(asked).toEqual(['claim a']);
});

test('what this process changes is seen at once', async () => {
  const { asked, looks } = world();
  await looks.holdOf('a', { free: true });
  await looks.throttle('a', 9_000);
  await looks.holdOf('a', { free: true });
  await looks.releaseHold('a');
  await looks.holdOf('a', { free: true });
  expect(asked).toHaveLength(3);
});
