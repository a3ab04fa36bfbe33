/**
 * Counters and gauges of one bridge in Prometheus text form. Labels come from fixed lists and configured account names,
 * never from what a sender wrote: no personal data, no unbounded growth.
 */

const HELP = {
  accepted: 'Deliveries answered 2xx, first time seen.',
  duplicate: 'Deliveries answered 2xx that were known already.',
  conflict: 'Events whose id was known with another body.',
  parked: 'Authentic deliveries that could not be read; kept for a look.',
  probe: 'All-zero probe deliveries, ignored.',
  refused: 'Deliveries not accepted, by reason.',
  woken: 'Signals delivered right after the answer.',
  late: 'Signals for flows that had ended.',
  failed: 'Signals that could not be delivered and were left to the relay.',
  relayed: 'Wakes that the relay delivered.',
  relay_error: 'Rounds of the relay that failed.',
} as const;

export type CounterName = keyof typeof HELP;

export interface Metrics {
  readonly count: (name: CounterName, labels?: Readonly<Record<string, string>>, by?: number) => void;
  readonly valueOf: (name: CounterName, labels?: Readonly<Record<string, string>>) => number;
  /** Seconds between the unsigned timestamp of the last delivery and our clock. */
  readonly setSkew: (seconds: number) => void;
  readonly text: () => string;
}

export function createMetrics(): Metrics {
  const counters = new Map<string, number>();
  let skew: number | undefined;
  return {
    count: (name, labels = {}, by = 1) => {
      const key = series(name, labels);
      counters.set(key, (counters.get(key) ?? 0) + by);
    },
    valueOf: (name, labels = {}) => counters.get(series(name, labels)) ?? 0,
    setSkew: (seconds) => {
      skew = seconds;
    },
    text: () => {
      const lines = (Object.keys(HELP) as CounterName[]).flatMap((name) => {
        const own = [...counters].filter(([key]) => key.startsWith(`${metricName(name)}{`) || key === metricName(name));
        const values = own.length === 0 ? [[metricName(name), 0] as const] : own;
        return [
          `# HELP ${metricName(name)} ${HELP[name]}`,
          `# TYPE ${metricName(name)} counter`,
          ...values.map(([key, value]) => `${key} ${value}`),
        ];
      });
      const gauge = 'tramita_bridge_timestamp_skew_seconds';
      if (skew !== undefined) lines.push(`# TYPE ${gauge} gauge`, `${gauge} ${skew}`);
      return `${lines.join('\n')}\n`;
    },
  };
}

function metricName(name: CounterName): string {
  return `tramita_bridge_${name}_total`;
}

function series(name: CounterName, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value.replace(/["\\\n]/g, '_')}"`);
  return pairs.length === 0 ? metricName(name) : `${metricName(name)}{${pairs.join(',')}}`;
}
