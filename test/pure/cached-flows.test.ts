import { cachedFlows } from '../../src/workers/cached-flows.js';

describe('how many flows a worker keeps in memory', () => {
  it.each([
    ['a small container, of which V8 takes half', 512, 1_248],
    ['a machine with much memory', 4_144, 2_000],
    ['less than the worker itself needs', 128, 100],
  ])('%s: %d MB for the heap, %d flows', (_which, heapLimitMb, flows) => {
    expect(cachedFlows(heapLimitMb)).toBe(flows);
  });
});
