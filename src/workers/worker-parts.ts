/**
 * What every worker process needs, whether it runs our workers or the plugin in the user's own: its connections, the activities
 * with their dependencies, wakes, housekeeping and figures.
 */
import type { ServiceHandler } from 'nexus-rpc';
import { createActivities, type Activities, type ActivityDeps, type ActivityLog } from '../activities/index.js';
import { workerProblems, type Config, type TemporalConnection } from '../config/index.js';
import { createInbox, type Inbox } from '../inbox/index.js';
import { createKeeping, honourErasures, openOwnDisk } from '../privacy/index.js';
import { createDatabaseClock, takeTurn, type Database } from '../store/index.js';
import { createSignalWake, createWaker, startRelay, within, type Waker } from '../wakes/index.js';
import { createBriefWaits } from './brief-waits.js';
import { buildActivityDeps } from './build-deps.js';
import { inContext, logged, notesIntent, withCallFields } from './call-context.js';
import { createCallMetrics, type CallMetrics } from './call-metrics.js';
import { checkInstallation, namingDatabase } from './check-installation.js';
import { startHousekeeping, type Duties, type Housekeeping } from './housekeeping.js';
import { trackInFlight } from './in-flight.js';
import { createLedgerKeeper, rotateJournal } from './keep-ledger.js';
import { createMetrics } from './metrics.js';
import { createNexusServices } from './nexus-service.js';
import { openConnections, type Connections } from './open-connections.js';
import { ensureSearchAttributes } from './search-attributes.js';

export interface WorkerParts extends Pick<Connections, 'connection' | 'traces' | 'readAs' | 'reachable'> {
  readonly deps: ActivityDeps;
  readonly activities: Activities;
  /** For the worker of the flows' own queue; none unless the configuration says so. */
  readonly nexusServices: ServiceHandler[];
  /** Runs a worker of this process. While it runs, activities know that its queue is served here. */
  serving<T>(taskQueue: string | undefined, run: () => Promise<T>): Promise<T>;
  /** @throws when the schema or the search attributes do not let a worker run. */
  check(): Promise<void>;
  startHousekeeping(): Housekeeping;
  /** Prometheus text. Never rejects: what cannot be read is left out and reported as unreachable. */
  metrics(): Promise<string>;
  /** Waits for charged calls in flight, because there may be no worker left that does. */
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
  const connections = openConnections(config, temporal, givenLog);
  const { db, connection, client, traces, readAs, reachable, reachesTemporal } = connections;
  const log = withCallFields(givenLog, traces);
  const databaseClock = createDatabaseClock(db);
  const clock = databaseClock.nowMs;
  const inbox = createInbox({ db, clock });
  const metrics = createCallMetrics(Object.keys(config.accounts));
  const { countWakes: count, observeWake: observe } = metrics;
  const waker = createWaker({ inbox, log, signalWake: createSignalWake(client), count, observe, clock });
  const servedQueues = new Set<string>();
  const deps = observedDeps(
    buildActivityDeps({ config, traces, servedQueues, db, log, client, inbox, wake: wakeWith(waker), databaseClock }),
    metrics,
  );
  const keeper = createLedgerKeeper({ db, deps });
  const activities = createActivities(deps);
  const { charged, free } = inContext(metrics.observed(logged(activities, log)));
  const inFlight = trackInFlight(charged);
  const briefWaits = createBriefWaits({ deps, look: metrics.observedLook(activities.look), log });
  const figures = createMetrics({
    db,
    client,
    inbox,
    reachesTemporal,
    accounts: config.accounts,
    clock: deps.clock,
    spool: deps.spool,
    journal: deps.journal,
  });
  return {
    connection,
    deps,
    activities: { charged: briefWaits.charged(inFlight.charged), free },
    nexusServices: createNexusServices(config, temporal, client),
    traces,
    readAs,
    reachable,
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
      await checkInstallation({ config, temporal, db, connection, log });
      await namingDatabase(db, async () => {
        await databaseClock.set();
        await keeper.keep();
      });
      await ensureSearchAttributes(connection, temporal.namespace);
      await namingDatabase(db, () => inbox.noteNamespace(temporal.namespace));
    },
    startHousekeeping: () =>
      startHousekeeping(deps, {
        ...dutiesOf({ config, db, inbox, deps }),
        startRelay: () => startRelay({ inbox, waker, log, count }, RELAY),
        keepLedger: () => keeper.keep(),
        setClock: databaseClock.set,
      }),
    metrics: async () => `${await figures()}\n${await metrics.text()}`,
    close: async () => {
      if (inFlight.count() > 0) log.warn({ calls: inFlight.count() }, 'charged calls on their way are waited for');
      await inFlight.settled();
      await briefWaits.stop();
      await waker.idle();
      for (const { client: http } of deps.accounts.values()) http.close();
      await Promise.allSettled([deps.journal.close(), deps.spool.close(), connections.close()]);
    },
  };
}

/** A call that has settled a row waits at most `WAKE_WITHIN_MS` for its signals. The relay delivers those that stay owed. */
function wakeWith(waker: Pick<Waker, 'wakeNow'>): ActivityDeps['wake'] {
  return (wakes) => within(WAKE_WITHIN_MS, waker.wakeNow(wakes, { reason: 'settled' }, WAKE_WITHIN_MS), undefined);
}

/** The same dependencies; disk writes are timed, and openings note their row for the log. */
function observedDeps(deps: ActivityDeps, metrics: Pick<CallMetrics, 'journal' | 'spool'>): ActivityDeps {
  const { journal, spool, ledger } = deps;
  return {
    ...deps,
    journal: metrics.journal(journal),
    spool: metrics.spool(spool),
    ledger: { ...ledger, openIntent: notesIntent((request) => ledger.openIntent(request)) },
  };
}

/** The duties that need only database and disk. */
function dutiesOf({
  config,
  db,
  inbox,
  deps,
}: {
  readonly config: Config;
  readonly db: Database;
  readonly inbox: Inbox;
  readonly deps: ActivityDeps;
}): Omit<Duties, 'startRelay' | 'keepLedger' | 'setClock'> {
  const { token, files, spool, journal } = deps;
  const ofAccounts = ` of ${Object.keys(config.accounts).sort().join(',')}`;
  return {
    // Workers of other accounts read other balances.
    takeTurn: (round, forMs) => takeTurn(db, round === 'balances' ? `${round}${ofAccounts}` : round, forMs),
    dropExpiredWaiters: () => inbox.dropExpiredWaiters(),
    keeping: createKeeping({ db, inbox, files, clock: () => deps.clock.nowMs() }, config.retention),
    honourErasures: () => honourErasures({ db, token, files, disk: openOwnDisk(config.filesDir, { spool, journal }) }),
    rotateJournal: () => rotateJournal({ db, deps, days: config.journalDays }),
  };
}

const WAKE_WITHIN_MS = 2_000;
/** A worker has fewer wakes than a bridge, and delivers them where no bridge runs. */
const RELAY = { pauseMs: 10_000, olderThanMs: 20_000 };
