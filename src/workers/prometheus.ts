/** Prometheus text (exposition format 0.0.4). Pure. Labels come from fixed lists, operation ids and account names. */

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  /** A number, or a decimal string that is written as it is. */
  readonly value: number | string;
}

export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** A gauge without samples is left out. */
export function prometheusText(gauges: readonly Gauge[]): string {
  const lines = gauges
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, help, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} gauge`,
      ...samples.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${value}`),
    ]);
  return `${lines.join('\n')}\n`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value.replace(/["\\\n]/g, '_')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
