/**
 * The PostgreSQL and the Temporal server of this file are killed with SIGKILL while flows wait and while a charged call is in
 * flight, and started again on the same files and ports. The worker survives and has to reconnect.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findTemporalServer,
  startPostgres,
  startTemporalServer,
  type PostgresServer,
  type TemporalPorts,
  type TemporalServer,
} from '../../src/local/index.js';
import { SEARCH_ATTRIBUTES, type RefreshCaseInput, type RefreshCaseResult } from '../../src/protocol/index.js';
import type { FlowHandle } from '../../src/starters/index.js';
import { withFlows } from '../flows/with-flows.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import {
  chargesOf,
  historyOf,
  pollsOf,
  rowsOf,
  untilCharged,
  untilRow,
  untilSpooled,
  untilWaitingFor,
} from './looks.js';
import { withPrograms } from './processes.js';

jest.setTimeout(300_000);

const STEP = 'requestRefresh';
const DONE_FOR_ONE_CHARGE = { status: 'done', spent: { known: '0.1', unknown: 0 } };
/** How long a call hangs. The server has to be killed in that time, even when the machine stalls for some seconds. */
const HANGS_MS = 5_000;

const root = mkdtempSync(join(tmpdir(), 'tramita-servers-'));
// As root, PostgreSQL runs under another account, which has to enter this folder.
chmodSync(root, 0o711);
let postgres: PostgresServer | undefined;
let temporal: TemporalServer | undefined;

async function postgresUp(port?: number): Promise<PostgresServer> {
  const { env } = process;
  const files = { dataDir: join(root, 'postgres'), logFile: join(root, 'postgres.log') };
  return startPostgres({ ...files, env, onProgress: () => undefined, ...(port === undefined ? {} : { port }) });
}

async function temporalUp(ports?: TemporalPorts): Promise<TemporalServer> {
  const { env } = process;
  const { executable } = await findTemporalServer({ env, onProgress: () => undefined });
  return startTemporalServer({
    executable,
    dataDir: join(root, 'temporal'),
    logFile: join(root, 'temporal.log'),
    env,
    searchAttributes: Object.fromEntries(Object.values(SEARCH_ATTRIBUTES).map((name) => [name, 'Keyword'])),
    ...(ports === undefined ? {} : { ports }),
  });
}

beforeAll(async () => {
  [postgres, temporal] = await Promise.all([postgresUp(), temporalUp()]);
  // Changes the environment of this file only: `withFlows` finds its servers here.
  process.env['TRAMITA_TEST_DATABASE_URL'] = postgres.url;
  process.env['TRAMITA_TEST_TEMPORAL_ADDRESS'] = temporal.address;
});

afterAll(async () => {
  await Promise.all([postgres?.stop(), temporal?.stop()]);
  rmSync(root, { recursive: true, force: true });
});

describe('a worker whose server is killed with SIGKILL', () => {
  const programs = withPrograms(() => flows);
  const flows = withFlows({ worker: false, sandbox: { refreshMs: 5_000, pollAfterMs: 200 } });

  beforeAll(async () => {
    await programs.startWorker();
  });

  interface Case {
    readonly cnj: string;
    readonly handle: FlowHandle<RefreshCaseResult>;
  }
  const start = async (more: Partial<RefreshCaseInput> = {}): Promise<Case> => {
    const cnj = newCase();
    return { cnj, handle: await flows.refresh({ cnj, webhook: false, ...more }) };
  };
  /** A flow that has polled the service at least once. */
  const startPolling = async (): Promise<Case> => {
    const polling = await start();
    const [charge] = await untilCharged(flows, polling.cnj);
    await until(async () => (await pollsOf(flows, charge?.requestId)) > 0, { what: 'a poll' });
    return polling;
  };
  /** A flow whose charged call hangs at the service, before the charge. */
  const startHanging = async (): Promise<Case & { readonly intentId: string }> => {
    await flows.fault({ operation: STEP, fault: 'F7', ms: HANGS_MS });
    const hanging = await start();
    const { intentId } = await untilRow(flows, hanging.handle.workflowId, 'open');
    return { ...hanging, intentId };
  };
  const expectEnds = async (cases: readonly Case[]): Promise<void> => {
    for (const { cnj, handle } of cases) {
      expect(await handle.result()).toMatchObject(DONE_FOR_ONE_CHARGE);
      expect((await historyOf(flows, handle.workflowId)).updates).toBe(0);
      expect(await chargesOf(flows, cnj)).toHaveLength(1);
    }
    await programs.audit();
  };

  it('keeps an answer on disk while PostgreSQL is away, settles it afterwards, and pays nothing again', async () => {
    const polling = await startPolling();
    const hanging = await startHanging();
    const { pid, port } = postgres!;
    process.kill(pid, 'SIGKILL');
    await untilCharged(flows, hanging.cnj);
    await untilSpooled(flows, hanging.intentId);
    postgres = await postgresUp(port);
    await expectEnds([polling, hanging]);
    expect((await historyOf(flows, hanging.handle.workflowId)).activities).not.toContain('settleFromSpool');
  });

  it('settles from the spool in a free activity when PostgreSQL is away for longer than the call may take', async () => {
    const hanging = await startHanging();
    const { pid, port } = postgres!;
    process.kill(pid, 'SIGKILL');
    await untilSpooled(flows, hanging.intentId);
    await until(
      async () => (await historyOf(flows, hanging.handle.workflowId)).activities.includes('settleFromSpool'),
      {
        withinMs: 90_000,
        everyMs: 500,
        what: 'the call to give up on the database',
      },
    );
    postgres = await postgresUp(port);
    await expectEnds([hanging]);
  });

  it('ends waiting flows and a flow in the middle of a call with one charge each when Temporal is killed', async () => {
    const polling = await startPolling();
    const waiting = await start({ webhook: '10s' });
    await untilWaitingFor(flows, waiting.handle.workflowId, 'the webhook');
    const hanging = await startHanging();
    await until(async () => (await flows.requests()).some(({ fault, status }) => fault === 'F7' && status === null), {
      everyMs: 10,
      what: 'the request at the service',
    });
    const { pid, address, uiUrl, ended } = temporal!;
    process.kill(pid, 'SIGKILL');
    await ended;
    await untilRow(flows, hanging.handle.workflowId, 'pending');
    temporal = await temporalUp({ grpc: Number(new URL(`http://${address}`).port), ui: Number(new URL(uiUrl).port) });
    await expectEnds([polling, waiting, hanging]);
    expect(await rowsOf(flows, hanging.handle.workflowId)).toHaveLength(1);
  });
});
