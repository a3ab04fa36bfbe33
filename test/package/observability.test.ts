/**
 * `observability/`: the dashboards equal what their source builds, every metric in them and in the alert rules is one of ours or
 * of the SDK, and every alert has tests and a runbook. `npm run test:observability` tests them on a live stack.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { createMetrics } from '../../src/bridge/metrics.js';
import { buildDashboards } from '../../observability/source/index.js';
import { prometheusTools } from '../support/prometheus-tools.js';
import { DOCUMENTS, namesIn, readText, REPOSITORY, sectionOf, tableOf } from './read-docs.js';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
interface RuleTest {
  readonly name: string;
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
}
interface Dashboard {
  readonly uid: string;
  readonly panels: readonly { readonly id: number; readonly title: string; readonly targets?: readonly Target[] }[];
}
interface Target {
  readonly expr: string;
}

const rules = (
  parse(readText('observability', 'rules', 'tramita.yml')) as { readonly groups: readonly { readonly rules: Rule[] }[] }
).groups.flatMap((group) => group.rules);
const tests = (parse(readText('observability', 'rules', 'tramita.test.yml')) as { readonly tests: readonly RuleTest[] })
  .tests;
const dashboards = buildDashboards();
const panels = [...dashboards.values()].flatMap((text) => (JSON.parse(text) as Dashboard).panels);
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

const operations = readText('docs', 'operations.md');
const METRICS = sectionOf(operations, '### Metrics');
const namesOf = (title: string): readonly string[] => tableOf(METRICS, title).flatMap((row) => namesIn([row]));
const ours = ['Metric of the installation', 'Metric of a worker', 'Metric of a bridge'].flatMap(namesOf);
/** Names in the table of the SDK, from its first and its second column. */
const ofSdk = tableOf(METRICS, 'Metric of the SDK').flatMap((row) => [...namesIn([row]), ...namesIn([row], 1)]);
const metricsIn = (expr: string): readonly string[] => expr.match(/\b(?:tramita|temporal)_[a-z_]+\b/g) ?? [];
const plain = (name: string): string =>
  [...ours, ...ofSdk].includes(name) ? name : name.replace(/_(bucket|sum|count)$/, '');

describe('the dashboards', () => {
  it('equal what their source builds (`npm run dashboards`)', () => {
    const folder = join(REPOSITORY, 'observability', 'dashboards');
    expect(readdirSync(folder).sort()).toEqual([...dashboards.keys()].sort());
    for (const [name, text] of dashboards) expect(readText('observability', 'dashboards', name)).toBe(text);
  });

  it('have panels with unique ids and titles', () => {
    for (const text of dashboards.values()) {
      const { uid, panels: own } = JSON.parse(text) as Dashboard;
      expect(uid).toMatch(/^tramita-[a-z]+$/);
      expect(new Set(own.map(({ id }) => id)).size).toBe(own.length);
      expect(new Set(own.map(({ title }) => title)).size).toBe(own.length);
    }
    expect(queries.length).toBeGreaterThan(50);
  });

  it('count the same flows as the alarm about flows that need a person', () => {
    const alarm = rules.find(({ alert }) => alert === 'TramitaFlowsNeedAttention')?.expr ?? '';
    const panel = panels.find(({ title }) => title === 'Flows that need a person');
    expect(alarm).toBe(`${panel?.targets?.[0]?.expr.replace(/^sum\((.+)\)$/, '$1') ?? ''} > 0`);
  });

  it('use documented metrics only, and together with the rules use every metric of ours', () => {
    const named = [...queries, ...rules.map(({ expr }) => expr)].flatMap(metricsIn).map(plain);
    expect([...new Set(named)].filter((name) => !ours.includes(name) && !ofSdk.includes(name))).toEqual([]);
    expect(ours.filter((name) => !named.includes(name))).toEqual([]);
  });
});

describe('the alert rules', () => {
  it('have a summary, a severity and a link to an existing section of the runbook', () => {
    const slug = (heading: string): string =>
      heading
        .toLowerCase()
        .replace(/[^a-z0-9 -]/g, '')
        .replace(/ /g, '-');
    const anchorsOf = (file: string): readonly string[] =>
      [...(DOCUMENTS.get(file) ?? '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slug(heading));
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^Tramita[A-Z][A-Za-z]+$/);
      expect(labels['severity']).toMatch(/^(warning|critical)$/);
      expect(annotations['summary']).toMatch(/\.$/);
      const [file = '', anchor = ''] = (annotations['runbook'] ?? '').split('#');
      expect({ alert, anchors: anchorsOf(file) }).toEqual({
        alert,
        anchors: expect.arrayContaining([anchor]) as unknown,
      });
    }
  });

  it('are each tested: silent on a quiet day, silent before the fault, firing in it', () => {
    const names = rules.map(({ alert }) => alert).sort();
    const quiet = tests.find(({ name }) => name === 'a quiet day');
    expect(quiet?.alert_rule_test.map(({ alertname }) => alertname).sort()).toEqual(names);
    const cases = tests.flatMap((each) => (each === quiet ? [] : each.alert_rule_test));
    const having = (count: (alerts: readonly unknown[]) => boolean): readonly string[] =>
      cases.filter(({ exp_alerts }) => count(exp_alerts)).map(({ alertname }) => alertname);
    expect([...having((alerts) => alerts.length === 0)].sort()).toEqual(names);
    expect([...having((alerts) => alerts.length > 0)].sort()).toEqual(names);
  });

  it('watch exactly the metrics that docs/operations.md lists under "Alarms"', () => {
    const documented = namesIn(tableOf(sectionOf(operations, '### Alarms'), 'When'))
      .map((name) => name.split('{')[0] ?? '')
      .filter((name) => /^(tramita|temporal)_|^up$/.test(name));
    const watched = rules.map(({ alert, expr }) => ({
      alert,
      names: expr.match(/\b(?:tramita|temporal)_[a-z_]+\b|\bup\b/g),
    }));
    expect(documented.filter((name) => !watched.some(({ names }) => names?.includes(name)))).toEqual([]);
    expect(watched.filter(({ names }) => names?.some((name) => documented.includes(name)) !== true)).toEqual([]);
  });

  it('name reasons of refused webhooks that docs/webhooks.md explains, as every reason of the bridge', async () => {
    const page = await createMetrics([]).text();
    const reasons = [...page.matchAll(/^tramita_bridge_refused_total\{reason="([\w-]+)"\}/gm)].map(
      ([, reason]) => reason,
    );
    expect(reasons.length).toBeGreaterThan(10);
    const explained = namesIn(tableOf(readText('docs', 'webhooks.md'), 'Reason'));
    expect([...explained].sort()).toEqual([...reasons].sort());
  });

  const tools = prometheusTools();
  if ('problem' in tools) {
    it.skip(`pass the checks of promtool: ${tools.problem}`, () => undefined);
    return;
  }
  it('pass the checks of promtool, as does the scrape configuration', () => {
    const folder = join(REPOSITORY, 'observability');
    expect(tools.promtool(folder, ['check', 'config', 'prometheus.yml'])).toBe('');
    expect(tools.promtool(join(folder, 'rules'), ['test', 'rules', 'tramita.test.yml'])).toBe('');
  });
});
