/** Tells a worker whose memory grows from one whose memory only swings. */
import { isFlat, longestLife, readCollections, type Life } from '../../soak/portfolio/memory.js';

const SECONDS = 200;

/** A life of a worker, with the size of a heap and of the process by the second. */
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

const swinging = (second: number): number => 250 + (second % 20) * 9;

it('readCollections reads what is left after full collections only, by heap', () => {
  const lines = [
    '[18675:0x2c190cf0]       36 ms: Scavenge 4.4 (4.5) -> 3.9 (5.5) MB, 0.64 / 0.00 ms  (average mu = 1.000) allocation failure; ',
    '[18675:0x2c190cf0]    21041 ms: Mark-Compact (reduce) 49.1 (96.4) -> 41.9 (96.4) MB, 12.40 / 0.00 ms  (average mu = 0.99)',
    '{"level":30,"msg":"Mark-Compact -> 9.9 (1.0) MB"}',
  ];
  expect(readCollections(lines.join('\n'))).toEqual([{ heap: '0x2c190cf0', mb: 41.9 }]);
});

it('isFlat accepts a heap that stays equal after every collection, however the process swings', () => {
  const memory = longestLife([lifeOf(() => 45, swinging)]);
  expect(memory).toMatchObject({ heapMb: { start: 70, end: 70 }, seconds: SECONDS - 1 });
  expect(memory !== null && isFlat(memory)).toBe(true);
});

it.each([
  ['a growing heap', lifeOf((second) => 45 + second * 0.3, swinging)],
  [
    'growing memory outside the heaps',
    lifeOf(
      () => 45,
      (second) => swinging(second) + second,
    ),
  ],
])('isFlat rejects %s', (_what, life) => {
  const memory = longestLife([life]);
  expect(memory !== null && isFlat(memory)).toBe(false);
});

it('longestLife takes the longest life', () => {
  const short: Life = { resident: [{ atMs: 0, mb: 900 }], heaps: new Map() };
  expect(longestLife([short, lifeOf(() => 45, swinging), short])?.residentMb.start).toBeLessThan(300);
  expect(longestLife([])).toBeNull();
});
