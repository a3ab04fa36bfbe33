/** Figures that were just read → Prometheus text. Labels come from fixed lists, operation ids and account names. */
import { Gauge, Registry } from 'prom-client';

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Figure {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** A figure without samples is not known and is left out. */
export function gaugesText(figures: readonly Figure[]): Promise<string> {
  const registry = new Registry();
  for (const { name, help, samples } of figures) {
    if (samples.length === 0) continue;
    const labelNames = [...new Set(samples.flatMap(({ labels = {} }) => Object.keys(labels)))];
    const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
    for (const { labels = {}, value } of samples) gauge.set(labels, value);
  }
  return registry.metrics();
}
