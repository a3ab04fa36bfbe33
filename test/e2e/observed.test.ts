/**
 * What a worker and a bridge report while they run, from real processes: exactly the documented metrics, a log in which every
 * line about a call names its flow, and one trace from a command to the HTTP call.
 */
import { freePort } from '../../src/local/index.js';
import { newCase } from '../support/case-number.js';
import { startOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.js';
import { until } from '../support/until.js';
import { withFlows } from '../flows/with-flows.js';
import { readText, sectionOf, tableOf, namesIn } from '../package/read-docs.js';
import { rowsOf } from './looks.js';
import { WEBHOOK_SECRET, withPrograms, type Program } from './processes.js';

type Line = Readonly<Record<string, unknown>>;

const METRICS = sectionOf(readText('docs', 'operations.md'), '### Metrics');
/** Metric → its labels, as documented. */
const documented = (title: string): ReadonlyMap<string, readonly string[]> =>
  new Map(tableOf(METRICS, title).map((row) => [namesIn([row])[0] ?? '', namesIn([row], 1)]));

interface Series {
  readonly name: string;
  readonly labels: readonly string[];
}

/** Series of a page; those of a histogram under the histogram's own name, without `le`. */
function seriesOf(page: string): readonly Series[] {
  const histograms = [...page.matchAll(/^# TYPE (\S+) histogram$/gm)].map(([, name = '']) => name);
  return [...page.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)].map(([, name = '', labels = '']) => ({
    name: histograms.find((each) => name.replace(/_(bucket|sum|count)$/, '') === each) ?? name,
    labels: [...labels.matchAll(/([a-z_]+)="(?:[^"\\]|\\.)*"/g)]
      .map(([, label = '']) => label)
      .filter((label) => label !== 'le'),
  }));
}

/** Names that a page declares, with or without series. */
const declaredIn = (page: string): readonly string[] =>
  [...page.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name).sort();

describe('a running worker and bridge', () => {
  const env: Record<string, string> = {
    TRAMITA_WEBHOOKS: 'on',
    TRAMITA_LOG_LEVEL: 'info',
    TRAMITA_MAX_SPEND_PER_DAY: '500.00',
    TRAMITA_MIN_BALANCE: '1.00',
  };
  let port = 0;
  let collector: OtlpReceiver;
  beforeAll(async () => {
    collector = await startOtlpReceiver();
    flows.atEnd(() => collector.close());
    env['OTEL_EXPORTER_OTLP_ENDPOINT'] = collector.url;
    env['OTEL_BSP_SCHEDULE_DELAY'] = '200';
    port = await freePort();
    env['TRAMITA_WORKER_OPS_LISTEN'] = `127.0.0.1:${port}`;
  });
  const programs = withPrograms(() => flows);
  const flows = withFlows({ worker: false, env, account: { outageAfter: 9 } });
  let worker: Program;
  let opsUrl: string;
  const pageOf = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text();
  const workerPage = (): Promise<string> => pageOf(`http://127.0.0.1:${port}`);
  const lines = (): readonly Line[] =>
    worker
      .logged()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);

  const cnj = newCase();
  const lost = newCase();
  beforeAll(async () => {
    worker = await programs.startWorker();
    const bridge = await programs.startBridge();
    opsUrl = bridge.opsUrl;
    await flows.control('/webhook', { url: bridge.webhookUrl, secret: WEBHOOK_SECRET });
    await (await flows.refresh({ cnj, documents: true })).result();
    // An unknown charge, so that an amount is reserved and a flow parked; and a case that does not exist.
    await flows.fault({ operation: 'requestRefresh', fault: 'status', status: 502, body: 'gateway' });
    await flows.parked((await flows.refresh({ cnj: lost })).workflowId);
    const missing = await flows.refresh({ cnj: '0000001-18.1999.8.01.0001' });
    await missing.result().catch(() => undefined);
  }, 300_000);

  it('expose every documented metric with its labels, and no other', async () => {
    const page = await workerPage();
    const known = new Map([...documented('Metric of the installation'), ...documented('Metric of a worker')]);
    const ours = declaredIn(page).filter((name) => name.startsWith('tramita_'));
    expect(ours).toEqual([...known.keys()].sort());
    const bridgePage = await until(
      async () => {
        const seen = await pageOf(opsUrl);
        const isWoken = /^tramita_bridge_wake_seconds_count [1-9]/m.test(seen);
        return isWoken && seen.includes('tramita_bridge_timestamp_skew_seconds') ? seen : undefined;
      },
      { what: 'a delivery and its wake' },
    );
    const ofBridge = documented('Metric of a bridge');
    expect(declaredIn(bridgePage)).toEqual([...ofBridge.keys()].sort());
    for (const { name, labels } of [...seriesOf(page), ...seriesOf(bridgePage)]) {
      if (!name.startsWith('tramita_')) continue;
      const allowed = known.get(name) ?? ofBridge.get(name) ?? [];
      expect({ name, unknown: labels.filter((label) => !allowed.includes(label)) }).toEqual({ name, unknown: [] });
    }
    expect(page).toMatch(
      /^tramita_calls_total\{account="default",operation="listPublicDocuments",outcome="done"\} 1$/m,
    );
    expect(page).toMatch(/^tramita_call_duration_seconds_count\{operation="requestRefresh",outcome="unknown"\} 1$/m);
    expect(page).toMatch(/^tramita_disk_write_seconds_count\{what="journal"\} [1-9]/m);
  });

  it('expose the metrics of the SDK on the same page', async () => {
    const declared = declaredIn(await workerPage());
    // Absent before the first failure; `observability.test.ts` makes one.
    const wanted = [...documented('Metric of the SDK').keys()].filter((name) => !name.includes('_execution_failed_'));
    expect(wanted.length).toBeGreaterThan(5);
    expect(wanted.filter((name) => !declared.includes(name))).toEqual([]);
  });

  it('have no metric label that grows with use or contains personal data', async () => {
    const count = (page: string): number => seriesOf(page).filter(({ name }) => name.startsWith('tramita_')).length;
    const before = await workerPage();
    const handles = await Promise.all(
      Array.from({ length: 8 }, () => flows.refresh({ cnj: newCase(), documents: true })),
    );
    await Promise.all(handles.map((handle) => handle.result()));
    const after = await workerPage();
    expect(count(after) - count(before)).toBeLessThan(16);
    expect(count(after)).toBeLessThan(400);
    for (const text of [cnj, lost, ...handles.map(({ workflowId }) => workflowId)]) expect(after).not.toContain(text);
  });

  it('log workflow, run and ledger row in every line about a call', async () => {
    const workflowId = `refresh.default.${cnj}`;
    const { runId } = await flows.client.workflow.getHandle(workflowId).describe();
    const rows = await rowsOf(flows, workflowId);
    const ended = lines().filter((line) => line['msg'] === 'charged call ended');
    expect(ended.filter((line) => line['workflowId'] === workflowId)).toEqual(
      rows.map(
        ({ intentId }) =>
          expect.objectContaining({
            intentId,
            runId,
            account: 'default',
            reused: false,
            outcome: expect.stringMatching(/^(DONE|PENDING)$/) as string,
          }) as unknown,
      ),
    );
    // A line that names an operation or an activity is about a call.
    const ofCalls = lines().filter(
      (line) => 'operation' in line || ('activityType' in line && line['level'] !== 'debug'),
    );
    expect(ofCalls.length).toBeGreaterThanOrEqual(4);
    for (const line of ofCalls) {
      expect(line).toMatchObject({
        workflowId: expect.stringMatching(/^refresh\./) as string,
        runId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        intentId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      });
    }
  });

  it('log the failure type and our own message when a flow fails', async () => {
    const run = {
      workflowId: 'refresh.default.00000011819998010001',
      runId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    };
    const line = (msg: string): Promise<Line> =>
      until(() => lines().find((each) => each['msg'] === msg), { what: msg });
    expect(await line('the flow fails')).toMatchObject({ ...run, failure: 'NotFound' });
    expect(await line('Workflow failed')).toMatchObject({
      ...run,
      error: expect.stringMatching(/^tramita: POST refresh .* HTTP 404.*case 0000001-18\.1999\.8\.01\.0001/) as string,
    });
    expect(worker.logged()).not.toContain('connection failed');
  });

  it('join one trace from the command that starts a flow down to the HTTP call', async () => {
    await programs.run(['start', 'readCase', '--cnj', newCase(), '--include', 'cover']);
    const { spans } = collector;
    const named = (wanted: string, traceId?: string) => (): (typeof spans)[number] | undefined =>
      spans.find(({ name, traceId: seen }) => name === wanted && (traceId === undefined || seen === traceId));
    const command = await until(named('StartWorkflow:readCase'), { what: "the command's span" });
    expect(command).toMatchObject({ service: 'tramita-cli', parentSpanId: '' });
    let above = command;
    for (const name of ['RunWorkflow:readCase', 'RunActivity:getCase', 'HTTP getCase']) {
      const span = await until(named(name, command.traceId), { what: name });
      expect(span).toMatchObject({ service: 'tramita-worker', parentSpanId: above.spanId });
      above = span;
    }
  });
});
