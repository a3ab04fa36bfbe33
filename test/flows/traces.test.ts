/**
 * Traces from a starter and from a webhook to the HTTP calls, as a real collector gets them; the same flow without traces; the
 * user's own provider; collectors that are away or hang.
 */
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { Client } from '@temporalio/client';
import { Worker, bundleWorkflowCode, type WorkflowBundle } from '@temporalio/worker';
import { join } from 'node:path';
import { createBridge, createSignalWake } from '../../src/bridge/index.js';
import { resolveConfig } from '../../src/config/index.js';
import { createInbox } from '../../src/inbox/index.js';
import { startRefreshCase } from '../../src/starters/index.js';
import { createDataConverter } from '../../src/temporal-client/index.js';
import { openTraces, type Traces } from '../../src/traces/index.js';
import { createWorker } from '../../src/workers/index.js';
import { BRIDGE_OPTIONS, SECRET } from '../bridge/support.js';
import { newCaseWithDocuments } from '../support/case-number.js';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.js';
import { until } from '../support/until.js';
import { plainHistory } from './plain-history.js';
import { temporal, withFlows } from './with-flows.js';

const HOUR_MS = 3_600_000;
const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const PROTOCOL = 'OTEL_EXPORTER_OTLP_PROTOCOL';
const TIMEOUT = 'OTEL_EXPORTER_OTLP_TIMEOUT';
/** Each test builds its own bundles. */
const WITHIN_MS = 300_000;

interface Collector {
  readonly url: string;
  readonly protocol?: 'http/protobuf' | 'http/json';
  /** Further environment variables. */
  readonly more?: Readonly<Record<string, string>>;
}

interface Run {
  readonly cnj: string;
  readonly workflowId: string;
  readonly runId: string;
}

describe('traces', () => {
  const flows = withFlows({
    worker: false,
    sandbox: { refreshMs: HOUR_MS, pollAfterMs: 120_000 },
    env: { TRAMITA_WEBHOOKS: 'on' },
  });
  const outside = new Map(
    ['OTEL_BSP_SCHEDULE_DELAY', ENDPOINT, PROTOCOL, TIMEOUT].map((name) => [name, process.env[name]]),
  );
  /** Runs of earlier tests for the tests after them. */
  const kept: { traced?: Run; plain?: Run } = {};

  afterEach(() => {
    for (const [name, value] of outside) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  });

  /** Runs a worker, a bridge and a client until `use` has ended, with traces when there is a collector. */
  async function withPrograms<T>(
    collector: Collector | undefined,
    use: (programs: { readonly client: Client; readonly logs: string[] }) => Promise<T>,
  ): Promise<T> {
    const { url, protocol = 'http/protobuf', more = {} } = collector ?? {};
    // OpenTelemetry reads the process's own environment.
    const env =
      url === undefined ? {} : { [ENDPOINT]: url, [PROTOCOL]: protocol, OTEL_BSP_SCHEDULE_DELAY: '200', ...more };
    Object.assign(process.env, env);
    const logs: string[] = [];
    const write = (fields: object, message: string): void => void logs.push(`${message} ${JSON.stringify(fields)}`);
    const log = { info: write, warn: write, error: write };
    const traces = url === undefined ? undefined : openTraces({ protocol, service: 'tests', log });
    const config = resolveConfig({ env: { ...flows.env, ...env } });
    const worker = await createWorker({ config, temporal: temporal(), log });
    const running = worker.run();
    const client = clientOf(traces);
    const bridge = await createBridge({
      ...BRIDGE_OPTIONS,
      inbox: createInbox({ db: flows.database.db, clock: Date.now }),
      signalWake: createSignalWake(client),
      log,
      ...(traces === undefined ? {} : { beginRequest: traces.beginRequest }),
    });
    try {
      await flows.control('/webhook', { url: new URL('/webhooks', bridge.url).href, secret: SECRET });
      return await use({ client, logs });
    } finally {
      await bridge.close();
      worker.shutdown();
      await Promise.all([running, traces?.close()]);
    }
  }

  function clientOf(traces: Traces | undefined): Client {
    const { connection, options } = flows.client;
    const interceptors = { workflow: [...(traces?.clientInterceptors ?? [])] };
    const dataConverter = createDataConverter(temporal());
    return new Client({ connection, namespace: options.namespace, interceptors, dataConverter });
  }

  /** A refresh with documents and files, whose service answers by webhook. */
  async function refreshByWebhook(client: Client): Promise<Run> {
    const cnj = newCaseWithDocuments();
    const input = { cnj, documents: true, download: true };
    const handle = await startRefreshCase({ ...flows.deps, client }, input);
    const { workflowId, runId } = handle;
    const isWaiting = async (): Promise<boolean> =>
      (await flows.progress(workflowId)).waitingFor === 'the webhook of the service';
    await until(isWaiting, { what: `${workflowId} to wait for its webhook` });
    await flows.control('/clock', { advanceMs: HOUR_MS });
    expect(await handle.result()).toMatchObject({ status: 'done' });
    return { cnj, workflowId, runId };
  }

  async function traced(
    { protocol, starter }: Pick<Collector, 'protocol'> & { readonly starter?: Client },
    check: (seen: { readonly receiver: OtlpReceiver; readonly run: Run; readonly logs: readonly string[] }) => void,
  ): Promise<void> {
    const receiver = await startOtlpReceiver();
    try {
      const collector = { url: receiver.url, ...(protocol === undefined ? {} : { protocol }) };
      let logs: readonly string[] = [];
      const run = await withPrograms(collector, (programs) => {
        ({ logs } = programs);
        return refreshByWebhook(starter ?? programs.client);
      });
      // The last spans were sent when the last program closed.
      check({ receiver, run, logs });
      kept.traced = run;
    } finally {
      await receiver.close();
    }
  }

  it.each(['http/protobuf', 'http/json'] as const)(
    'lead from the webhook through the flow to the HTTP calls, and from the starter, with a link between (%s)',
    async (protocol) => {
      await traced({ protocol }, ({ receiver, run: { runId }, logs }) => {
        const { spans } = receiver;
        expect([...receiver.contentTypes]).toEqual([
          protocol.replace('protobuf', 'x-protobuf').replace('http', 'application'),
        ]);
        expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(['tests']));
        const webhook = only(spans, ({ name }) => name === 'webhook');
        const start = only(spans, ({ name }) => name === 'StartWorkflow:refreshCase');
        // Two traces: one from the start and one from the webhook.
        expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([start.traceId, webhook.traceId]));

        const first = only(spans, (span) => isFlow(span) && span.attributes['tramita.moved_by'] === 'start');
        expect(first).toMatchObject({ traceId: start.traceId, parentSpanId: start.spanId });
        const paid = only(spans, ({ name }) => name === 'RunActivity:requestRefresh');
        expect(paid).toMatchObject({ parentSpanId: first.spanId, attributes: { 'tramita.charged': 0.1 } });
        expect(below(spans, paid)).toMatchObject([
          {
            name: 'HTTP requestRefresh',
            attributes: {
              'http.request.method': 'POST',
              'http.response.status_code': 202,
              'tramita.operation': 'requestRefresh',
              'tramita.outcome': 'PENDING',
              'tramita.charged': 0.1,
              'tramita.intent_id': paid.attributes['tramita.intent_id'],
            },
          },
        ]);

        expect(webhook).toMatchObject({ parentSpanId: '', attributes: { 'tramita.outcome': 'accepted' } });
        const signal = only(spans, ({ name }) => name === 'SignalWorkflow:wake');
        expect(signal).toMatchObject({ traceId: webhook.traceId, parentSpanId: webhook.spanId });
        const second = only(spans, (span) => isFlow(span) && span.attributes['tramita.moved_by'] === 'wake');
        expect(second).toMatchObject({
          traceId: webhook.traceId,
          parentSpanId: signal.spanId,
          status: 0,
          attributes: { 'temporal.run_id': runId },
          links: [{ traceId: first.traceId, spanId: first.spanId }],
        });
        const activities = below(spans, second);
        expect(activities.map(({ name }) => name).sort()).toEqual([
          'RunActivity:awaitFinal',
          'RunActivity:downloadDocuments',
          'RunActivity:listPublicDocuments',
        ]);
        for (const activity of activities) {
          const calls = below(spans, activity);
          expect(calls.length).toBeGreaterThan(0);
          for (const { name, traceId } of calls) {
            expect({ traceId, isHttp: name.startsWith('HTTP ') }).toEqual({ traceId: webhook.traceId, isHttp: true });
          }
        }
        for (const { startMs, endMs } of spans) expect(endMs).toBeGreaterThanOrEqual(startMs);

        const ended = logs.filter((line) => line.startsWith('charged call ended'));
        expect(ended).toHaveLength(2);
        for (const [line, span] of [
          [ended[0], start],
          [ended[1], webhook],
          [logs.find((each) => each.startsWith('webhook accepted')), webhook],
        ] as const) {
          expect(line).toContain(`"traceId":"${span.traceId}"`);
        }
      });
    },
    WITHIN_MS,
  );

  it(
    'begin with the flow when its starter has none; spans hold no secret, person, case or link',
    async () => {
      await traced({ starter: flows.client }, ({ receiver, run }) => {
        const { spans } = receiver;
        const first = only(spans, (span) => isFlow(span) && span.attributes['tramita.moved_by'] === 'start');
        expect(first).toMatchObject({ traceId: run.runId.replaceAll('-', ''), parentSpanId: '' });
        expect(below(spans, first).map(({ name }) => name)).toEqual(['RunActivity:requestRefresh']);
        const digits = run.cnj.replace(/\D/g, '');
        const canaries = [
          ...['sandbox-key', flows.env['TRAMITA_ID_KEY'] ?? '', SECRET, run.cnj, digits, run.workflowId],
          ...[flows.sandbox.url, flows.sandbox.documentsUrl, new URL(flows.database.url).password, 'sig='],
          ...['/v1/', '/webhooks'],
        ];
        const sent = Buffer.concat([...receiver.raw]).toString('latin1');
        expect(sent).toContain('requestRefresh');
        for (const canary of canaries) {
          expect({ canary, found: canary !== '' && sent.includes(canary) }).toEqual({ canary, found: false });
        }
      });
    },
    WITHIN_MS,
  );

  it(
    'leave the history unchanged: a flow without traces has equal events, and each history replays both ways',
    async () => {
      kept.plain = await withPrograms(undefined, async ({ client, logs }) => {
        const run = await refreshByWebhook(client);
        expect(logs.join('\n')).not.toContain('traceId');
        return run;
      });
      if (kept.traced === undefined) await traced({}, () => undefined);
      const histories = await Promise.all(
        [kept.traced!, kept.plain].map(async (run) => ({
          run,
          history: await flows.client.workflow.getHandle(run.workflowId, run.runId).fetchHistory(),
        })),
      );
      const [withTraces, without] = histories.map(({ history }) => history);
      expect(plainHistory(withTraces!)).toEqual(plainHistory(without!));
      expect(JSON.stringify(withTraces)).toContain('_tracer-data');
      expect(JSON.stringify(without)).not.toContain('_tracer-data');
      const bundles = await Promise.all(
        [[], [join(__dirname, '../../src/traces/workflow-interceptors.ts')]].map(bundle),
      );
      const dataConverter = createDataConverter(temporal());
      for (const workflowBundle of bundles) {
        for (const { run, history } of histories) {
          await Worker.runReplayHistory({ workflowBundle, dataConverter }, history, run.workflowId);
        }
      }
    },
    WITHIN_MS,
  );

  it(
    "go to the user's own provider when one is registered",
    async () => {
      const exporter = new InMemorySpanExporter();
      const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
      trace.setGlobalTracerProvider(provider);
      context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
      try {
        // Nothing is sent to this address: the user's provider has its own exporter.
        await withPrograms({ url: 'http://127.0.0.1:9' }, ({ client }) => refreshByWebhook(client));
        const spans = exporter.getFinishedSpans();
        const find = (name: string): (typeof spans)[number] => spans.find((span) => span.name === name)!;
        const signal = find('SignalWorkflow:wake').spanContext();
        expect(signal.traceId).toBe(find('webhook').spanContext().traceId);
        const flow = spans.filter(({ name }) => name === 'RunWorkflow:refreshCase')[1];
        for (const span of [flow!, find('RunActivity:downloadDocuments')]) {
          expect(span.parentSpanContext).toMatchObject({ traceId: signal.traceId, spanId: signal.spanId });
        }
        // Only the user closes the user's provider.
        expect(trace.getTracer('still there').startSpan('x').isRecording()).toBe(true);
      } finally {
        trace.disable();
        context.disable();
      }
    },
    WITHIN_MS,
  );

  it.each(['away', 'hangs'])(
    'disturb neither a flow nor the end of a worker when the collector is away or hangs (%s)',
    async (kind) => {
      const receiver = await startOtlpReceiver();
      if (kind === 'hangs') receiver.hang();
      else await receiver.close();
      let endedMs = 0;
      let logs: readonly string[] = [];
      // The exporter retries for that long.
      await withPrograms({ url: receiver.url, more: { [TIMEOUT]: '500' } }, async (programs) => {
        ({ logs } = programs);
        await refreshByWebhook(programs.client);
        endedMs = Date.now();
      });
      // Two seconds for the collector, the rest for bridge and worker on a slow machine.
      expect(Date.now() - endedMs).toBeLessThan(40_000);
      if (kind === 'away') expect(logs.join('\n')).toContain('takes no spans');
      else await receiver.close();
    },
    WITHIN_MS,
  );
});

function bundle(workflowInterceptorModules: string[]): Promise<WorkflowBundle> {
  const silent = (): void => undefined;
  return bundleWorkflowCode({
    workflowsPath: join(__dirname, '../../src/workflows/index.ts'),
    workflowInterceptorModules,
    logger: { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent },
  });
}

function isFlow({ name }: ReceivedSpan): boolean {
  return name === 'RunWorkflow:refreshCase';
}

function only(spans: readonly ReceivedSpan[], wanted: (span: ReceivedSpan) => boolean): ReceivedSpan {
  const found = spans.filter(wanted);
  expect(found).toHaveLength(1);
  return found[0]!;
}

function below(spans: readonly ReceivedSpan[], { traceId, spanId }: ReceivedSpan): readonly ReceivedSpan[] {
  return spans.filter((span) => span.parentSpanId === spanId && span.traceId === traceId);
}
