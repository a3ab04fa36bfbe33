/** The byte budget: never more bytes than its limit, the newest request first, and nobody waits forever. */
import { createByteBudget } from '../../src/bridge/byte-budget.js';

const budgetOf = (changes: Partial<Parameters<typeof createByteBudget>[0]> = {}) =>
  createByteBudget({ maxBytes: 10, maxWaiting: 3, waitMs: 10_000, ...changes });

/** The names of the requests that were answered, in order; a name with `!` was refused. */
function follow(budget: ReturnType<typeof budgetOf>) {
  const ended: string[] = [];
  const releases = new Map<string, () => void>();
  const ask = (name: string, bytes: number): void =>
    void budget.reserve(bytes).then((release) => {
      ended.push(release === undefined ? `${name}!` : name);
      if (release !== undefined) releases.set(name, release);
    });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { ended, ask, settle, release: (name: string) => releases.get(name)?.() };
}

test('a request that fits is granted at once, and released bytes go to the newest waiting request that fits', async () => {
  const { ended, ask, settle, release } = follow(budgetOf());
  ask('a', 6);
  ask('b', 4);
  ask('older', 4);
  ask('newer', 4);
  ask('large', 10);
  await settle();
  expect(ended).toEqual(['a', 'b']);
  release('b');
  release('b');
  await settle();
  expect(ended).toEqual(['a', 'b', 'newer']);
  release('a');
  await settle();
  expect(ended).toEqual(['a', 'b', 'newer', 'older']);
  release('newer');
  release('older');
  await settle();
  expect(ended.at(-1)).toBe('large');
});

test('the oldest of too many waiting requests is refused at once, and the others after the maximum wait', async () => {
  const { ended, ask, settle } = follow(budgetOf({ waitMs: 500 }));
  for (const name of ['holder', 'first', 'second', 'third', 'fourth']) ask(name, 10);
  await settle();
  expect(ended).toEqual(['holder', 'first!']);
  const deadline = performance.now() + 10_000;
  while (ended.length < 5 && performance.now() < deadline) await settle();
  expect(ended).toEqual(['holder', 'first!', 'second!', 'third!', 'fourth!']);
});

test('a refused request holds no bytes', async () => {
  const { ended, ask, settle, release } = follow(budgetOf({ maxWaiting: 0 }));
  ask('holder', 10);
  ask('refused', 10);
  await settle();
  release('holder');
  ask('next', 10);
  await settle();
  expect(ended).toEqual(['holder', 'refused!', 'next']);
});
