/**
 * Time from sending a webhook until the flow is awake, compared with a plain signal to the same flow: in pairs, one flow
 * each, on a real Temporal server. Bridge, inbox and signal run in this process, so one clock sees both ends.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Runtime, Worker, type InjectedSinks } from '@temporalio/worker';
import { createBridge, createSignalWake } from '../src/bridge/index.js';
import { cnjKey, createInbox, insertWaiters } from '../src/inbox/index.js';
import { SIGNAL_WAKE } from '../src/protocol/index.js';
import { connect } from '../src/store/index.js';
import { BENCH_SECRET, buildBody, buildCnj, buildRequest } from './bridge-deliveries.js';
import { percentilesOf, type Percentiles } from '../soak/numbers.js';
import { openLine } from './bridge-load.js';
import type { BenchSinks } from './bridge-wait-flow.js';

interface WakeLatency {
  readonly pairs: number;
  readonly webhookMs: Percentiles;
  readonly plainSignalMs: Percentiles;
  readonly ratioP50: number;
}

const TASK_QUEUE = 'bench-wake';
const FIRST_CASE = 950_000;

export async function measureWake(options: {
  readonly temporalAddress: string;
  readonly databaseUrl: string;
  readonly pairs: number;
}): Promise<WakeLatency> {
  Runtime.install({ logger: { log: no, trace: no, debug: no, info: no, warn: no, error: no } });
  const connection = await Connection.connect({ address: options.temporalAddress });
  const native = await NativeConnection.connect({ address: options.temporalAddress });
  const client = new Client({ connection });
  const moments = createMoments();
  const worker = await Worker.create({
    connection: native,
    taskQueue: TASK_QUEUE,
    workflowsPath: join(__dirname, 'bridge-wait-flow.js'),
    sinks: moments.sinks,
  });
  const working = worker.run();
  const db = connect({ url: options.databaseUrl, applicationName: 'bench wake' });
  const bridge = await createBridge({
    listen: { host: '127.0.0.1', port: 0 },
    opsListen: { host: '127.0.0.1', port: 0 },
    accounts: { default: { secrets: [BENCH_SECRET], secretForm: 'utf8', tokens: [] } },
    inbox: createInbox({ db, clock: Date.now }),
    signalWake: createSignalWake(client),
    log: { info: no, warn: no, error: no },
    clock: Date.now,
  });
  const line = await openLine(Number(new URL(bridge.url).port));

  /** Starts a flow, waits until it waits, wakes it, and returns how long the wake took. */
  const wakeOne = async (
    place: number,
    send: (workflowId: string, cnj: string) => Promise<unknown>,
  ): Promise<number> => {
    const workflowId = `bench-${randomUUID()}`;
    const cnj = buildCnj(FIRST_CASE + place);
    const keys = [cnjKey(cnj)];
    await insertWaiters({ workflowId, intentId: randomUUID(), keys, nowMs: Date.now() }).execute(db);
    const waiting = moments.next('waiting', workflowId);
    const awake = moments.next('awake', workflowId);
    await client.workflow.start('waitForWake', { taskQueue: TASK_QUEUE, workflowId });
    await waiting;
    // The worker calls the sink before it completes the workflow task; the flow really waits only after that.
    await client.workflow.getHandle(workflowId).describe();
    const sentAt = performance.now();
    const [awakeAt] = await Promise.all([awake, send(workflowId, cnj)]);
    return awakeAt - sentAt;
  };
  const byWebhook = (workflowId: string, cnj: string): Promise<unknown> =>
    line.ask(buildRequest(buildBody(workflowId, cnj), BENCH_SECRET));
  const plainly = (workflowId: string): Promise<unknown> =>
    client.workflow.getHandle(workflowId).signal(SIGNAL_WAKE, { eventId: workflowId });

  const webhook: number[] = [];
  const plain: number[] = [];
  try {
    for (let pair = -5; pair < options.pairs; pair += 1) {
      const webhookMs = await wakeOne(2 * (pair + 5), byWebhook);
      const plainMs = await wakeOne(2 * (pair + 5) + 1, plainly);
      // The first pairs are a warm-up.
      if (pair >= 0) webhook.push(webhookMs);
      if (pair >= 0) plain.push(plainMs);
    }
  } finally {
    line.close();
    await bridge.close();
    worker.shutdown();
    await working;
    await Promise.all([native.close(), connection.close(), db.destroy()]);
  }
  const [webhookMs, plainSignalMs] = [percentilesOf(webhook), percentilesOf(plain)];
  return { pairs: options.pairs, webhookMs, plainSignalMs, ratioP50: webhookMs.p50 / plainSignalMs.p50 };
}

/** What flows report through their sinks: each promise resolves with the time on this process's clock. */
function createMoments(): {
  readonly sinks: InjectedSinks<BenchSinks>;
  readonly next: (what: 'waiting' | 'awake', workflowId: string) => Promise<number>;
} {
  const expected = new Map<string, (at: number) => void>();
  const tell = (what: string) => (_info: unknown, workflowId: string) => {
    expected.get(`${what} ${workflowId}`)?.(performance.now());
    expected.delete(`${what} ${workflowId}`);
  };
  return {
    sinks: {
      bench: {
        waiting: { fn: tell('waiting'), callDuringReplay: false },
        awake: { fn: tell('awake'), callDuringReplay: false },
      },
    },
    next: (what, workflowId) => new Promise((resolve) => expected.set(`${what} ${workflowId}`, resolve)),
  };
}

function no(): void {
  // No logging during a measurement.
}
