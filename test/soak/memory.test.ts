/** A worker that grows is told from one that breathes. */
import { isFlat, longestLife, readCollections, type Life } from '../../soak/portfolio/memory.js';

const SECONDS = 200;

/** A life whose heaps hold and whose process keeps so much, by the second. */
function lifeOf(heap: (second: number) => number, resident: (second: number) => number): Life {
  const samples = (mb: (second: number) => number) =>
    Array.from({ length: SECONDS }, (_none, second) => ({ atMs: second * 1_000, mb: mb(second) }));
  return {
    resident: samples(resident),
    heaps: new Map([
      ['0x1', samples(heap)],
      ['0x2', samples(() => 25)],
    ]),
  };
}

const breathing = (second: number): number => 250 + (second % 20) * 9;

it('reads what is left after a full collection, by heap, and nothing else', () => {
  const lines = [
    '[18675:0x2c190cf0]       36 ms: Scavenge 4.4 (4.5) -> 3.9 (5.5) MB, 0.64 / 0.00 ms  (average mu = 1.000) allocation failure; ',
    '[18675:0x2c190cf0]    21041 ms: Mark-Compact (reduce) 49.1 (96.4) -> 41.9 (96.4) MB, 12.40 / 0.00 ms  (average mu = 0.99)',
    '{"level":30,"msg":"Mark-Compact -> 9.9 (1.0) MB"}',
  ];
  expect(readCollections(lines.join('\n'))).toEqual([{ heap: '0x2c190cf0', mb: 41.9 }]);
});

it('a heap that holds as much after every collection is flat, however the process swings', () => {
  const memory = longestLife([lifeOf(() => 45, breathing)]);
  expect(memory).toMatchObject({ heapMb: { start: 70, end: 70 }, seconds: SECONDS - 1 });
  expect(memory !== null && isFlat(memory)).toBe(true);
});

it.each([
  ['a heap that holds ever more', lifeOf((second) => 45 + second * 0.3, breathing)],
  [
    'memory outside the heaps that grows',
    lifeOf(
      () => 45,
      (second) => breathing(second) + second,
    ),
  ],
])('%s is not flat', (_what, life) => {
  const memory = longestLife([life]);
  expect(memory !== null && isFlat(memory)).toBe(false);
});

it('is judged by the longest life', () => {
  const short: Life = { resident: [{ atMs: 0, mb: 900 }], heaps: new Map() };
  expect(longestLife([short, lifeOf(() => 45, breathing), short])?.residentMb.start).toBeLessThan(300);
  expect(longestLife([])).toBeNull();
});
