/**
 * What every worker process of ours needs open, whether it runs our workers or the plugin in the user's own: the database,
 * a client for `wake`, the activities' dependencies. Nothing connects before it is used.
 */
import { Client, type Connection } from '@temporalio/client';
import type { ServiceHandler } from 'nexus-rpc';
import {
  createActivities,
  nameOfError,
  type Activities,
  type ActivityDeps,
  type ActivityLog,
} from '../activities/index.js';
import {
  fingerprintProblem,
  fingerprintsOf,
  missingKeyProblem,
  payloadKeysProblem,
  workerProblems,
  type Config,
  type TemporalConnection,
} from '../config/index.js';
import { probeOwnDir } from '../files/index.js';
import { createInbox, intentKey } from '../inbox/index.js';
import { createKeeping, honourErasures, openOwnDisk } from '../privacy/index.js';
import {
  connect,
  keepFingerprints,
  ping,
  readFingerprints,
  schemaProblemAtStart,
  takeTurn,
  unsafeServerProblem,
  unsafeSettings,
  type Database,
} from '../store/index.js';
import { buildActivityDeps } from './build-deps.js';
import {
  connectClient,
  createDataConverter,
  createLateConverter,
  findMissingKey,
  type LateConverter,
} from '../temporal-client/index.js';
import { openTraces, type Traces } from '../traces/index.js';
import { createSignalWake, createWaker, startRelay, within } from '../wakes/index.js';
import { createBriefWaits } from './brief-waits.js';
import { trackInFlight } from './in-flight.js';
import { startHousekeeping, type Housekeeping } from './housekeeping.js';
import { createLedgerKeeper, rotateJournal } from './keep-ledger.js';
import { inContext, logged, notesIntent, withCallFields } from './call-context.js';
import { createCallMetrics } from './call-metrics.js';
import { createMetrics } from './metrics.js';
import { createNexusServices } from './nexus-service.js';
import { ensureSearchAttributes } from './search-attributes.js';

export interface WorkerParts {
  readonly connection: Connection;
  readonly deps: ActivityDeps;
  readonly activities: Activities;
  /** For the worker of the flows' own queue; none unless the configuration says so. */
  readonly nexusServices: ServiceHandler[];
  /** Absent: there are none. */
  readonly traces: Traces | undefined;
  /** Our client reads and writes as this worker of the user's own does: flows that we start and join are its flows. */
  readonly readAs: LateConverter['use'];
  /** Runs a worker of this process; while it runs, flows learn that its queue is served here. */
  serving<T>(taskQueue: string | undefined, run: () => Promise<T>): Promise<T>;
  /** @throws when the schema or the search attributes do not let a worker run. */
  check(): Promise<void>;
  startHousekeeping(): Housekeeping;
  /** Whether the database and Temporal answer now. Never rejects. */
  reachable(): Promise<Readonly<Record<'database' | 'temporal', boolean>>>;
  /** Prometheus text. Never rejects: what cannot be read is left out, and said. */
  metrics(): Promise<string>;
  /** Waits for charged calls that are still on their way: no worker may be left to do so. */
  close(): Promise<void>;
}

/** @throws `tramita: …`, one line per problem, when the configuration does not let a worker run. */
export function openWorkerParts({
  config,
  temporal,
  log: givenLog,
}: {
  readonly config: Config;
  readonly temporal: TemporalConnection;
  readonly log: ActivityLog;
}): WorkerParts {
  const problems = workerProblems(config);
  if (problems.length > 0) throw new Error(problems.map((problem) => `tramita: ${problem}`).join('\n'));
  const { traces: protocol } = config;
  const traces =
    protocol === undefined ? undefined : openTraces({ protocol, service: 'tramita-worker', log: givenLog });
  const log = withCallFields(givenLog, traces);
  const db = connect({
    url: config.databaseUrl ?? '',
    applicationName: 'tramita-worker',
    max: config.databaseConnections,
  });
  const connection = connectClient(temporal);
  const inbox = createInbox({ db, clock: Date.now });
  const { namespace } = temporal;
  const late = createLateConverter(createDataConverter(temporal));
  const client = new Client({
    ...{ connection, namespace, dataConverter: late.dataConverter },
    interceptors: { workflow: [...(traces?.clientInterceptors ?? [])] },
  });
  const accounts = Object.keys(config.accounts).sort();
  const metrics = createCallMetrics(accounts);
  const { countWakes: count, observeWake: observe } = metrics;
  const waker = createWaker({ inbox, log, signalWake: createSignalWake(client), count, observe });
  const servedQueues = new Set<string>();
  const built = buildActivityDeps({
    ...{ config, traces },
    servedQueues,
    db,
    log,
    client,
    wake: (intent, workflowIds) => {
      const eventKey = intentKey(intent.joined ?? intent.intentId);
      const wakes = [...new Set(workflowIds)].map((workflowId) => ({ eventKey, workflowId }));
      return within(WAKE_WITHIN_MS, waker.wakeNow(wakes, { reason: 'settled' }, WAKE_WITHIN_MS), undefined);
    },
    inbox,
  });
  const deps: ActivityDeps = {
    ...built,
    journal: metrics.journal(built.journal),
    spool: metrics.spool(built.spool),
    ledger: { ...built.ledger, openIntent: notesIntent((request) => built.ledger.openIntent(request)) },
  };
  const keeper = createLedgerKeeper({ db, deps });
  const activities = createActivities(deps);
  const { charged, free } = inContext(metrics.observed(logged(activities, log)));
  const inFlight = trackInFlight(charged);
  const briefWaits = createBriefWaits({ deps, look: metrics.observedLook(activities.look), log });
  const answers = (ask: Promise<unknown>): Promise<boolean> =>
    within(
      READY_WITHIN_MS,
      ask.then(
        () => true,
        () => false,
      ),
      false,
    );
  const reachesTemporal = (): Promise<boolean> =>
    answers(connection.withDeadline(Date.now() + READY_WITHIN_MS, () => connection.workflowService.getSystemInfo({})));
  const figures = createMetrics({
    ...{ db, client, inbox, reachesTemporal, accounts: config.accounts, clock: Date.now },
    ...{ spool: deps.spool, journal: deps.journal },
  });
  return {
    connection,
    deps,
    activities: { charged: briefWaits.charged(inFlight.charged), free },
    nexusServices: createNexusServices(config, temporal, client),
    traces,
    readAs: (converter) => late.use(converter),
    serving: async (taskQueue, run) => {
      if (taskQueue === undefined) return run();
      servedQueues.add(taskQueue);
      try {
        return await run();
      } finally {
        servedQueues.delete(taskQueue);
      }
    },
    check: async () => {
      await checkOwnDir(config.filesDir);
      const schema = await schemaProblemAtStart(db, log);
      if (schema !== undefined) throw new Error(schema);
      await checkFlows({ connection, config, temporal, log });
      await checkDatabase(db, config, temporal);
      await keeper.keep();
      await ensureSearchAttributes(connection, temporal.namespace);
      await inbox.noteNamespace(temporal.namespace);
    },
    startHousekeeping: () =>
      startHousekeeping(deps, {
        takeTurn: (round, forMs) =>
          takeTurn(db, `${round}${round === 'balances' ? ` of ${accounts.join(',')}` : ''}`, forMs),
        startRelay: () => startRelay({ inbox, waker, log, count }, RELAY),
        dropExpiredWaiters: () => inbox.dropExpiredWaiters(),
        keeping: createKeeping({ db, inbox, files: deps.files, clock: Date.now }, config.retention),
        keepLedger: () => keeper.keep(),
        honourErasures: () => {
          const { token, files, spool, journal } = deps;
          return honourErasures({ db, token, files, disk: openOwnDisk(config.filesDir, { spool, journal }) });
        },
        rotateJournal: () => rotateJournal({ db, deps, days: config.journalDays }),
      }),
    reachable: async () => {
      const [database, temporalReached] = await Promise.all([answers(ping(db)), reachesTemporal()]);
      return { database, temporal: temporalReached };
    },
    metrics: async () => `${await figures()}\n${await metrics.text()}`,
    close: async () => {
      if (inFlight.count() > 0) log.warn({ calls: inFlight.count() }, 'charged calls on their way are waited for');
      await inFlight.settled();
      await briefWaits.stop();
      await waker.idle();
      for (const { client: http } of deps.accounts.values()) http.close();
      await Promise.allSettled([
        deps.journal.close(),
        deps.spool.close(),
        connection.close(),
        db.destroy(),
        traces?.close(),
      ]);
    },
  };
}

/** Could this worker read the flows that run? Asked first: the database must not learn keys of a worker that does not start. */
async function checkFlows({
  connection,
  config: { taskQueue },
  temporal,
  log,
}: Parameters<typeof openWorkerParts>[0] & { readonly connection: Connection }): Promise<void> {
  const keyId = await findMissingKey(connection, temporal, taskQueue).catch((error: unknown) => {
    log.warn(
      { error: nameOfError(error) },
      'the flows that run cannot be listed: not checked for a missing payload key',
    );
    return undefined;
  });
  if (keyId === undefined) return;
  const { payloadKeys } = temporal;
  throw new Error(`tramita: ${missingKeyProblem(keyId, { taskQueue, payloadKeys })}`);
}

async function checkOwnDir(filesDir: string): Promise<void> {
  const code = await probeOwnDir(filesDir);
  if (code === undefined) return;
  throw new Error(`tramita: TRAMITA_FILES_DIR: ${filesDir} cannot be written (${code}); name a folder of this worker`);
}

/** Does the database keep what it confirms, and is it the one that these settings have written? */
async function checkDatabase(db: Database, config: Config, { payloadKeys }: TemporalConnection): Promise<void> {
  const unsafe = config.unsafeDatabase === true ? undefined : unsafeServerProblem(await unsafeSettings(db));
  if (unsafe !== undefined) throw new Error(unsafe);
  const unreadable = payloadKeysProblem(await readFingerprints(db), payloadKeys);
  if (unreadable !== undefined) throw new Error(`tramita: ${unreadable}`);
  const wrong = await keepFingerprints(db, { given: fingerprintsOf(config, payloadKeys), nowMs: Date.now() });
  if (wrong.length > 0) {
    throw new Error(wrong.map((mismatch) => `tramita: ${fingerprintProblem(mismatch)}`).join('\n'));
  }
}

/** The call that has settled a row waits no longer for its signals: what is left is on its way, or owed and the relay's. */
const WAKE_WITHIN_MS = 2_000;
/** A look at what `/readyz` reports: a probe waits a few seconds. */
const READY_WITHIN_MS = 2_000;
/** A worker has fewer wakes than a bridge, and delivers them where no bridge runs. */
const RELAY = { pauseMs: 10_000, olderThanMs: 20_000 };
