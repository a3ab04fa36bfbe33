/** How many requests a key (or a key and an address) may make in a sliding minute. In memory, by the sandbox's clock. */
const MINUTE_MS = 60_000;

export interface RateLimits {
  /** Counts the request. When there were too many, returns the seconds until one is allowed again and does not count it. */
  take(bucket: string, perMinute: number, nowMs: number): number | undefined;
}

export function createRateLimits(): RateLimits {
  const buckets = new Map<string, number[]>();
  return {
    take(bucket, perMinute, nowMs) {
      if (perMinute === 0) return undefined;
      const times = (buckets.get(bucket) ?? []).filter((time) => time > nowMs - MINUTE_MS);
      buckets.set(bucket, times);
      if (times.length < perMinute) {
        times.push(nowMs);
        return undefined;
      }
      return Math.max(1, Math.ceil(((times[0] ?? nowMs) + MINUTE_MS - nowMs) / 1_000));
    },
  };
}
