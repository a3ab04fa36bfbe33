/**
 * The dashboards and the alert rules on a live stack: two workers, a bridge, the sandbox, a real Prometheus. First comes a quiet
 * period in which no alert may fire, then a fault for every alert. At the end every query of every panel must have had data.
 * `for:` and the windows of the rules are shortened (`shortenedRules`), thresholds are not: where a threshold is an age (a day,
 * two minutes), the test makes the row older. Runs with `npm run test:observability` only; takes 5 to 10 minutes.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { temporal as proto } from '@temporalio/proto';
import { sql } from 'kysely';
import { parse } from 'yaml';
import { buildDashboards } from '../../observability/source/index.js';
import { freePort } from '../../src/local/index.js';
import { createProxy, type Proxy } from '../../soak/wire.js';
import { withFlows } from '../flows/with-flows.js';
import { newCase } from '../support/case-number.js';
import { prometheusTools } from '../support/prometheus-tools.js';
import { until } from '../support/until.js';
import { untilRow } from './looks.js';
import { WEBHOOK_SECRET, withPrograms, type BridgeProgram, type Program } from './processes.js';
import { shortenedRules, startPrometheus, type Prometheus } from './prometheus.js';

/** Two rounds of the figures, which workers read every half minute. */
const QUIET_MS = 75_000;
/** A round of the figures, a scrape and `for:`. A parked flow asks for a person only after its first minute. */
const FIRES_WITHIN_MS = 150_000;
const MINUTES = 60_000;
const RULES = (
  parse(shortenedRules()) as { readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[] }
).groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));

const tools = prometheusTools();
if (process.env['TRAMITA_TEST_OBSERVABILITY'] === '1' && 'problem' in tools) {
  it.skip(`dashboards and alerts on a live stack: ${tools.problem}`, () => undefined);
}
const isRun = process.env['TRAMITA_TEST_OBSERVABILITY'] === '1' && !('problem' in tools);

(isRun ? describe : describe.skip)('dashboards and alerts on a live stack (`npm run test:observability`)', () => {
  const programs = withPrograms(() => flows);
  const flows = withFlows({
    worker: false,
    wired: true,
    account: { outageAfter: 3, pollsPerMinute: 600 },
    // 7.20 above the floor, a cap of 6.10; a refresh costs 0.10, its list of documents 0.20.
    sandbox: { refreshMs: 1_500, openingBalance: '8.20' },
    env: {
      TRAMITA_WEBHOOKS: 'on',
      TRAMITA_MAX_SPEND_PER_DAY: '6.10',
      TRAMITA_MIN_BALANCE: '1.00',
      TRAMITA_LOG_LEVEL: 'warn',
    },
  });
  const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'tramita-observed-')));
  const fired = new Map<string, number>();
  let workers: readonly Program[];
  let bridge: BridgeProgram;
  let temporal: Proxy;
  let prometheus: Prometheus;
  let beganAtMs: number;
  let ofAnotherBuild: WorkflowHandle;

  beforeAll(async () => {
    ofAnotherBuild = await startAsAnotherBuild();
    flows.atEnd(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
    temporal = await createProxy(process.env['TRAMITA_TEST_TEMPORAL_ADDRESS'] ?? '');
    flows.atEnd(() => temporal.close());
    const ports = [await freePort(), await freePort()];
    workers = await Promise.all(
      folders.map((folder, place) =>
        programs.startWorker({
          TEMPORAL_ADDRESS: temporal.address,
          TRAMITA_FILES_DIR: folder,
          TRAMITA_WORKER_OPS_LISTEN: `127.0.0.1:${ports[place]}`,
        }),
      ),
    );
    bridge = await programs.startBridge({ temporalAddress: temporal.address });
    await setWebhook({ secret: WEBHOOK_SECRET });
    if ('problem' in tools) throw new Error(tools.problem);
    prometheus = await startPrometheus(tools.prometheus, {
      'tramita-worker': ports.map((port) => `127.0.0.1:${port}`),
      'tramita-bridge': [new URL(bridge.opsUrl).host],
    });
    flows.atEnd(() => prometheus.close());
    beganAtMs = Date.now();
  }, 2 * MINUTES);

  it(
    'fire no alert while all is well',
    async () => {
      const seen = new Set<string>();
      await refresh(3);
      await until(
        async () => {
          // Before the first figures are read, no value is reported and no poller is seen.
          if (Date.now() - beganAtMs > 20_000) for (const alert of await prometheus.firing()) seen.add(alert);
          return Date.now() - beganAtMs > QUIET_MS;
        },
        { withinMs: QUIET_MS + 10_000, everyMs: 2_000, what: 'the quiet time' },
      );
      await refresh(2);
      // Two flows share a call: the second one joins while the call is in flight, and the first one wakes it. This happens after
      // the quiet period, because an increase before the first scrape shows no rate.
      const cnj = newCase();
      await flows.fault({ operation: 'requestRefresh', fault: 'F7', ms: 3_000 });
      const sharing = ['one', 'two'].map((name) => flows.refresh({ cnj }, { workflowId: `${name}-${cnj}` }));
      await Promise.all((await Promise.all(sharing)).map((handle) => handle.result()));
      expect([...seen]).toEqual([]);
    },
    3 * MINUTES,
  );

  it(
    'fire for every problem with charges, webhooks and journals that needs a person',
    async () => {
      // An unknown charge, made older than a day.
      await flows.fault({ operation: 'requestRefresh', fault: 'status', status: 502, body: 'gateway' });
      const unknown = await flows.refresh({ cnj: newCase() });
      await untilRow(flows, unknown.workflowId, 'unknown');
      await sql`update tramita.intent set opened_at = now() - interval '2 days' where state = 'unknown'`.execute(
        flows.database.db,
      );
      // One event with two bodies.
      const event = { action: 'send', id: 'of-two-bodies', event: 'nova_movimentacao', cnj: newCase() };
      for (const part of [1, 2]) await flows.control('/events', { ...event, data: { part } });
      // A free read that charges; and a wrong secret, so that webhooks are refused and missed.
      await flows.fault({
        operation: 'getRefreshStatus',
        fault: 'status',
        status: 404,
        body: {
          error: { code: 'NOTHING_YET' },
          meta: { creditsCharged: 0.05, searchLogId: 'log-1', requestId: 'meta-1' },
        },
      });
      await setWebhook({ secret: 'another-secret-0123456789' });
      await (await flows.refresh({ cnj: newCase(), webhook: false })).result();
      for (let count = 0; count < 3; count += 1) {
        await (await flows.refresh({ cnj: newCase(), webhook: '2s' })).result();
      }
      const [row] = await sql<{ id: string }>`select intent_id as id from tramita.intent limit 1`
        .execute(flows.database.db)
        .then(({ rows }) => rows);
      await sql`insert into tramita.settlement_conflict (intent_id, settlement, found_at)
        values (${row?.id}, '{"state": "done"}', now())`.execute(flows.database.db);
      withJournalFile(0, (file) => {
        writeFileSync(file, '');
        // Sparse.
        truncateSync(file, 1_500_000_000);
      });
      await untilFired(
        ...['TramitaFlowsNeedAttention', 'TramitaChargesUndecided', 'TramitaUnexpectedCharge', 'TramitaWebhooksSilent'],
        ...['TramitaWebhooksRefused', 'TramitaWebhookConflict', 'TramitaSettlementConflict', 'TramitaJournalGrows'],
      );
      // While it runs, the flow would look up its charge itself.
      await flows.client.workflow.getHandle(unknown.workflowId).terminate('seen');
      await withoutSweeps(async () => {
        await sql`update tramita.intent set state = 'open', opened_at = now() - interval '20 minutes'
          where state = 'unknown'`.execute(flows.database.db);
        await untilFired('TramitaCallsStayOpen');
      });
      withJournalFile(0, (file) => rmSync(file));
      await setWebhook({ secret: WEBHOOK_SECRET });
    },
    8 * MINUTES,
  );

  it(
    'fire when money runs out',
    async () => {
      await until(async () => ((await spent()) >= 4.9 ? true : (await refresh(1), undefined)), {
        withinMs: 2 * MINUTES,
        what: 'most of the cap to be spent',
      });
      await untilFired('TramitaSpendNearCap', 'TramitaBalanceLow');
    },
    4 * MINUTES,
  );

  it(
    'fire when the service throttles and when it is out',
    async () => {
      await flows.fault({ operation: 'requestRefresh', fault: 'status', status: 429, retryAfter: 60 });
      const throttled = await flows.refresh({ cnj: newCase() });
      await untilFired('TramitaThrottled');
      await flows.client.workflow.getHandle(throttled.workflowId).terminate('seen');
      await flows.fault({ operation: 'requestRefresh', fault: 'status', status: 502, body: 'gateway', times: 3 });
      await flows.fault({ operation: 'getBalance', fault: 'status', status: 503, body: 'gateway', times: 100 });
      for (let count = 0; count < 3; count += 1) await flows.refresh({ cnj: newCase() });
      await untilFired('TramitaServiceOut');
      await sql`update tramita.account_hold set outage_since = null, failures = 0`.execute(flows.database.db);
    },
    6 * MINUTES,
  );

  it(
    'fire when workers cannot replay a flow',
    async () => {
      await ofAnotherBuild.signal('wake');
      await untilFired('TramitaFlowTasksFail');
      await ofAnotherBuild.terminate('seen');
    },
    4 * MINUTES,
  );

  it(
    'fire when the database or Temporal is away, and for answers and wakes that cannot be delivered',
    async () => {
      // A paid answer stays on disk while the database is away.
      await flows.fault({ operation: 'requestRefresh', fault: 'F7', ms: 4_000 });
      const late = await flows.refresh({ cnj: newCase(), webhook: false });
      await untilRow(flows, late.workflowId, 'open');
      flows.takeDatabaseAway();
      await untilFired('TramitaDatabaseAway', 'TramitaSpoolNotEmpty');
      flows.bringDatabaseBack();
      await late.result();

      // An event for a waiting flow that cannot be woken.
      const waiting = await flows.refresh({ cnj: newCase(), webhook: '10m' });
      await untilRow(flows, waiting.workflowId, 'pending');
      temporal.lead(undefined);
      await until(
        async () => {
          const { numUpdatedRows } = await flows.database.db
            .updateTable('tramita.event_wake')
            .set({ created_at: new Date(Date.now() - 10 * MINUTES) })
            .where('woken_at', 'is', null)
            .executeTakeFirst();
          return numUpdatedRows > 0n;
        },
        { what: 'a wake that is owed' },
      );
      await untilFired('TramitaTemporalAway', 'TramitaWakesNotDelivered');
      temporal.lead(process.env['TRAMITA_TEST_TEMPORAL_ADDRESS']);
      await waiting.result();
    },
    8 * MINUTES,
  );

  it(
    'fire when the disk fails, when the ledger is held, and when programs are gone',
    async () => {
      for (const folder of folders) {
        rmSync(join(folder, 'spool'), { recursive: true, force: true });
        writeFileSync(join(folder, 'spool'), 'no folder');
      }
      await flows.refresh({ cnj: newCase() });
      await untilFired('TramitaDiskErrors');

      // The ledger stays held until every journal is heard, and this one never is.
      await sql`insert into tramita.ledger_journal (journal_id, label) values (${randomUUID()}, 'lost:/gone')`.execute(
        flows.database.db,
      );
      await sql`update tramita.ledger_life set epoch = gen_random_uuid(), held_since = now()`.execute(
        flows.database.db,
      );
      await untilFired('TramitaLedgerHeld');

      await workers[1]?.kill();
      await bridge.kill();
      await untilFired('TramitaWorkerLost', 'TramitaNoBridge');
      await workers[0]?.kill();
      await untilFired('TramitaNoWorkerPolls');
    },
    10 * MINUTES,
  );

  it('have fired every rule and had data for every query of every panel', async () => {
    const toMs = Date.now();
    expect(RULES.filter((alert) => !fired.has(alert))).toEqual([]);
    const queries = [...buildDashboards()].flatMap(([file, text]) =>
      (
        JSON.parse(text) as {
          readonly panels: readonly {
            readonly title: string;
            readonly targets?: readonly { readonly expr: string }[];
          }[];
        }
      ).panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ file, title, expr }))),
    );
    const empty: unknown[] = [];
    for (const { file, title, expr } of queries) {
      const count = await prometheus.countSeries(expr.replaceAll('$__rate_interval', '1m'), beganAtMs, toMs);
      if (count === 0) empty.push({ file, title, expr });
    }
    process.stderr.write(
      `${queries.length} queries of panels, ${RULES.length} rules; ${empty.length} without data. Seconds until an alert fired: ${[
        ...fired,
      ]
        .map(([alert, ms]) => `${alert} ${Math.round(ms / 1_000)}`)
        .join(', ')}\n`,
    );
    expect(empty).toEqual([]);
  });

  const setWebhook = (account: { readonly secret: string }): Promise<unknown> =>
    flows.control('/webhook', { url: bridge.webhookUrl, ...account });

  /** A flow whose history no worker here can replay: its first task, taken before they run, starts a timer. */
  async function startAsAnotherBuild(): Promise<WorkflowHandle> {
    const { workflowService, options } = flows.client;
    const { namespace } = options;
    const handle = await flows.startPlain('refreshCase', { cnj: newCase() });
    const task = { namespace, taskQueue: { name: flows.taskQueue }, identity: 'another build' };
    const { taskToken } = await flows.client.withDeadline(Date.now() + MINUTES, () =>
      workflowService.pollWorkflowTaskQueue(task),
    );
    const commandType = proto.api.enums.v1.CommandType.COMMAND_TYPE_START_TIMER;
    const timer = { timerId: '1', startToFireTimeout: msToTs('1 hour') };
    const commands = [{ commandType, startTimerCommandAttributes: timer }];
    await workflowService.respondWorkflowTaskCompleted({ namespace, taskToken, commands });
    return handle;
  }

  async function refresh(count: number): Promise<void> {
    const handles = await Promise.all(
      Array.from({ length: count }, () => flows.refresh({ cnj: newCase(), documents: true })),
    );
    await Promise.all(handles.map((handle) => handle.result()));
  }

  /** Spending as the caps count it. */
  async function spent(): Promise<number> {
    const { rows } = await sql<{ spent: number }>`select sum(spent)::bigint as spent from tramita.spend_day`.execute(
      flows.database.db,
    );
    return (rows[0]?.spent ?? 0) / 10_000;
  }

  function withJournalFile(worker: number, use: (file: string) => void): void {
    const folder = join(folders[worker] ?? '', 'journal');
    mkdirSync(folder, { recursive: true });
    use(join(folder, `sends-${beganAtMs}-00000000-0000-4000-8000-000000000000.jsonl`));
  }

  /** Keeps the sweep duty taken while `body` runs, so that no worker sweeps. */
  async function withoutSweeps(body: () => Promise<void>): Promise<void> {
    const take = (): Promise<unknown> =>
      sql`update tramita.duty set taken_until = clock_timestamp() + interval '1 minute' where name = 'sweep'`.execute(
        flows.database.db,
      );
    await take();
    const retake = setInterval(() => void take().catch(() => undefined), 10_000);
    try {
      await body();
    } finally {
      clearInterval(retake);
    }
  }

  /** Waits until each of the alerts fires. */
  async function untilFired(...alerts: readonly string[]): Promise<void> {
    const fromMs = Date.now();
    const missing = new Set(alerts);
    await until(
      async () => {
        for (const alert of await prometheus.firing()) {
          if (!fired.has(alert)) fired.set(alert, Date.now() - fromMs);
          missing.delete(alert);
        }
        return missing.size === 0;
      },
      { withinMs: FIRES_WITHIN_MS, everyMs: 1_000, what: alerts.join(', ') },
    ).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}; missing: ${[...missing].join(', ')}`);
    });
  }
});
