/** Statistics of samples, in soaks and benches. Pure. */

/** `share` in [0, 1]; 0 without samples. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function spread(values: readonly number[]): object {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

export function percentilesOf(values: readonly number[]): Percentiles {
  return { p50: percentile(values, 0.5), p99: percentile(values, 0.99) };
}
