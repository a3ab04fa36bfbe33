/** Writes figures as Prometheus text. Labels come from fixed lists, operation ids and account names. */
import { Gauge, Registry } from 'prom-client';
import { AMOUNT_SCALE, type Amount } from '../contract/index.js';

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Figure {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** A figure without samples is unknown and is left out. */
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

export function figure(name: string, help: string, samples: readonly Sample[]): Figure {
  return { name, help, samples };
}

export function single(name: string, help: string, value: number): Figure {
  return figure(name, help, [{ value }]);
}

export function seconds(ms: number): number {
  return Math.round(ms / 1_000);
}

/** In the currency of the account. Unknown amounts are left out. */
export function amounts(
  given: readonly { readonly account: string; readonly amount: Amount | null | undefined }[],
): readonly Sample[] {
  return given.flatMap(({ account, amount }) =>
    amount === null || amount === undefined ? [] : [{ labels: { account }, value: amount / AMOUNT_SCALE }],
  );
}
