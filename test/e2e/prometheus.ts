/** A real Prometheus that scrapes programs of this test, with our rules. Answers come from its HTTP interface. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/local/index.js';
import { readText } from '../package/read-docs.js';
import { launch } from '../support/launch.js';
import { until } from '../support/until.js';

export interface Prometheus {
  readonly url: string;
  /** Names of the alerts that fire now. */
  firing(): Promise<readonly string[]>;
  /** How many series of the query had a number at some time between the two, epoch ms. @throws what is wrong with the query. */
  countSeries(query: string, fromMs: number, toMs: number): Promise<number>;
  close(): Promise<void>;
}

/** Jobs → addresses (`host:port`). */
export type Targets = Readonly<Record<string, readonly string[]>>;

/** A metrics page waits up to 5 s for a Temporal server that is away. */
const SCRAPE_SECONDS = 6;

/**
 * Our rules with every `for:` and every window shortened, so that each alert can fire within a quarter of an hour. Long windows
 * (6 h, 1 day) become as long as the test run. Thresholds stay.
 */
export function shortenedRules(): string {
  return readText('observability', 'rules', 'tramita.yml')
    .replace(/for: \d+[mh]/g, 'for: 4s')
    .replace('[30m:1m]', '[20s:2s]')
    .replace(/\[(5|10|15)m\]/g, '[1m]')
    .replace(/\[(6h|1d)\]/g, '[15m]');
}

export async function startPrometheus(program: string, targets: Targets): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'tramita-prometheus-'));
  writeFileSync(join(folder, 'rules.yml'), shortenedRules());
  const jobs = Object.entries(targets).map(([job_name, addresses]) => ({
    job_name,
    static_configs: [{ targets: addresses }],
  }));
  const scrape = `${SCRAPE_SECONDS}s`;
  const config = {
    global: { scrape_interval: scrape, scrape_timeout: scrape, evaluation_interval: '2s' },
    rule_files: ['rules.yml'],
    scrape_configs: jobs,
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const port = await freePort();
  const flags = [
    ...[`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'data')}`],
    ...[`--web.listen-address=127.0.0.1:${port}`, '--log.level=warn'],
  ];
  const { child, err, ended } = launch([program, ...flags]);
  const url = `http://127.0.0.1:${port}`;
  const ask = async <T>(path: string): Promise<T> => {
    const answer = (await (await fetch(`${url}/api/v1/${path}`)).json()) as { data: T; error?: string };
    if (answer.error !== undefined) throw new Error(`${path}: ${answer.error}`);
    return answer.data;
  };
  await until(
    async () => {
      if (child.exitCode !== null) throw new Error(`Prometheus ended with ${child.exitCode}:\n${err()}`);
      return (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok === true;
    },
    { what: 'Prometheus to be ready' },
  );
  return {
    url,
    firing: async () => {
      const { alerts } = await ask<{ alerts: readonly { state: string; labels: Record<string, string> }[] }>('alerts');
      const names = alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels['alertname'] ?? '');
      return [...new Set(names)].sort();
    },
    countSeries: async (query, fromMs, toMs) => {
      const parameters = new URLSearchParams({ query, start: `${fromMs / 1_000}`, end: `${toMs / 1_000}`, step: '2' });
      const { result } = await ask<{ result: readonly { values: readonly (readonly [number, string])[] }[] }>(
        `query_range?${parameters.toString()}`,
      );
      return result.filter(({ values }) => values.some(([, value]) => value !== 'NaN')).length;
    },
    close: async () => {
      if (child.exitCode === null) child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
