/**
 * How many waiting flows a worker keeps in memory. A flow that it does not keep is replayed from its history at its next task,
 * which takes some milliseconds. The SDK's own default allows 1.7 MB of heap for each. Pure.
 */

/** The worker itself, and the garbage of its flows. */
const OTHERS_MB = 200;
/** 40 KB each were measured in the heap, and some 0.1 MB outside of it (docs/measurements.md); flows with long lists hold more. */
const FLOWS_PER_MB = 4;
const LEAST = 100;
/** More would save only a replay now and then, and always cost memory. */
const MOST = 2_000;

/** `heapLimitMb`: what V8 allows a thread; it follows the memory of the machine or container, and `--max-old-space-size`. */
export function cachedFlows(heapLimitMb: number): number {
  return Math.floor(Math.min(Math.max((heapLimitMb - OTHERS_MB) * FLOWS_PER_MB, LEAST), MOST));
}
