import { cachedFlows } from '../../src/workers/cached-flows.js';

describe('the number of flows that a worker keeps in memory', () => {
  it.each([
    ['a small container', 512, 1_248],
    ['a machine with much memory', 4_144, 2_000],
    ['a machine with less than the worker itself needs', 128, 100],
  ])('for %s with a heap of %d MB is %d', (_which, heapLimitMb, flows) => {
    expect(cachedFlows(heapLimitMb)).toBe(flows);
  });
});
