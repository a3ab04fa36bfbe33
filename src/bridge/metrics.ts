/**
 * Counters and gauges of one bridge. Labels come from fixed lists and configured account names, never from what a sender
 * wrote: no personal data, no unbounded growth.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

const COUNTERS = {
  accepted: 'Deliveries answered 2xx, first time seen.',
  duplicate: 'Deliveries answered 2xx that were known already.',
  conflict: 'Events whose id was known with another body.',
  parked: 'Authentic deliveries that could not be read; kept for inspection.',
  probe: 'All-zero probe deliveries, ignored.',
  refused: 'Deliveries not accepted, by reason.',
  woken: 'Signals delivered right after the answer.',
  late: 'Signals for flows that had ended.',
  failed: 'Signals that could not be delivered and were left to the relay.',
  relayed: 'Wakes that the relay delivered.',
  relay_error: 'Rounds of the relay that failed.',
} as const;

type CounterName = keyof typeof COUNTERS;
const OF_ACCOUNT: readonly string[] = ['accepted', 'duplicate', 'conflict', 'parked', 'probe'] satisfies CounterName[];

const REFUSALS = [
  ...(['path', 'method', 'content-type', 'content-encoding', 'malformed', 'too-slow', 'too-large'] as const),
  ...(['unknown-account', 'not-configured', 'duplicate-header', 'signature-missing', 'signature-malformed'] as const),
  ...(['signature-mismatch', 'token-missing', 'token-mismatch'] as const),
  ...(['database-slow', 'database-failed', 'no-room', 'busy', 'error'] as const),
] as const;
/** Why a delivery was not accepted. */
export type Refusal = (typeof REFUSALS)[number];

interface Labels {
  readonly account?: string;
  readonly reason?: Refusal;
}

export interface Metrics {
  readonly count: (name: CounterName, labels?: Labels, by?: number) => void;
  /** Time from the recorded event until Temporal took the signal of its wake, ms. */
  readonly observeWake: (latencyMs: number) => void;
  /** Seconds between the unsigned timestamp of the last delivery and our clock. */
  readonly setSkew: (seconds: number) => void;
  readonly text: () => Promise<string>;
}

export function createMetrics(accounts: readonly string[]): Metrics {
  const labelsOf = (name: string): readonly Labels[] => {
    if (name === 'refused') return REFUSALS.map((reason) => ({ reason }));
    return OF_ACCOUNT.includes(name) ? accounts.map((account) => ({ account })) : [{}];
  };
  const registry = new Registry();
  const counters = new Map(
    Object.entries(COUNTERS).map(([name, help]) => {
      const series = { name: `tramita_bridge_${name}_total`, help, labelNames: ['account', 'reason'] };
      const counter = new Counter({ ...series, registers: [registry] });
      // Starts at zero, so that an alert sees the first increment.
      for (const labels of labelsOf(name)) counter.inc({ ...labels }, 0);
      return [name, counter];
    }),
  );
  const wakeSeconds = new Histogram({
    name: 'tramita_bridge_wake_seconds',
    help: 'Time from recording an event until Temporal has accepted the signal that it owes.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800],
    registers: [registry],
  });
  let skew: Gauge | undefined;
  return {
    count: (name, labels = {}, by = 1) => counters.get(name)?.inc({ ...labels }, by),
    observeWake: (latencyMs) => wakeSeconds.observe(latencyMs / 1_000),
    setSkew: (seconds) => {
      skew ??= new Gauge({
        name: 'tramita_bridge_timestamp_skew_seconds',
        help: 'Our clock minus the unsigned timestamp of the last delivery.',
        registers: [registry],
      });
      skew.set(seconds);
    },
    text: () => registry.metrics(),
  };
}
