/**
 * What every worker process of ours needs open, whether it runs our workers or the plugin in the user's own: the database,
 * a client for `wake`, the activities' dependencies. Nothing connects before it is used.
 */
import { Client, type Connection } from '@temporalio/client';
import type { ActivityDeps, ActivityLog } from '../activities/index.js';
import {
  fingerprintProblem,
  fingerprintsOf,
  workerProblems,
  type Config,
  type TemporalConnection,
} from '../config/index.js';
import { createInbox } from '../inbox/index.js';
import {
  connect,
  keepFingerprints,
  schemaProblem,
  unsafeServerProblem,
  unsafeSettings,
  type Database,
} from '../store/index.js';
import { buildActivityDeps } from './build-deps.js';
import { connectClient } from '../temporal-client/index.js';
import { startHousekeeping, type Housekeeping } from './housekeeping.js';
import { createLedgerKeeper, rotateJournal } from './keep-ledger.js';
import { createMetrics } from './metrics.js';
import { ensureSearchAttributes } from './search-attributes.js';
import { createWaker } from './wake-flows.js';

export interface WorkerParts {
  readonly connection: Connection;
  readonly deps: ActivityDeps;
  /** @throws when the schema or the search attributes do not let a worker run. */
  check(): Promise<void>;
  startHousekeeping(): Housekeeping;
  /** Prometheus text. Never rejects: what cannot be read is left out, and said. */
  metrics(): Promise<string>;
  close(): Promise<void>;
}

/** @throws `tramita: …`, one line per problem, when the configuration does not let a worker run. */
export function openWorkerParts({
  config,
  temporal,
  log,
}: {
  readonly config: Config;
  readonly temporal: TemporalConnection;
  readonly log: ActivityLog;
}): WorkerParts {
  const problems = workerProblems(config);
  if (problems.length > 0) throw new Error(problems.map((problem) => `tramita: ${problem}`).join('\n'));
  const db = connect({ url: config.databaseUrl ?? '', applicationName: 'tramita-worker' });
  const connection = connectClient(temporal);
  const inbox = createInbox({ db, clock: Date.now });
  const client = new Client({ connection, namespace: temporal.namespace });
  const waker = createWaker({ client, inbox, log });
  const deps = buildActivityDeps({
    config,
    db,
    log,
    client,
    wake: waker.wake,
    eventsFor: (keys, sinceMs, limit) => inbox.eventsAbout({ keys, sinceMs, limit }),
    waitFor: (wait) => inbox.waitFor(wait),
  });
  const keeper = createLedgerKeeper({ db, deps });
  return {
    connection,
    deps,
    check: async () => {
      const schema = await schemaProblem(db);
      if (schema !== undefined) throw new Error(schema);
      await checkDatabase(db, config);
      await keeper.keep();
      await ensureSearchAttributes(connection, temporal.namespace);
    },
    startHousekeeping: () =>
      startHousekeeping(deps, {
        relay: waker.relay,
        dropExpiredWaiters: () => inbox.dropExpiredWaiters(),
        forgetOld: () => inbox.forgetOld(bodiesKept(config)),
        keepLedger: () => keeper.keep(),
        rotateJournal: () => rotateJournal({ db, deps, days: config.journalDays }),
      }),
    metrics: createMetrics({ db, client, accounts: Object.keys(config.accounts), spool: deps.spool, clock: Date.now }),
    close: async () => {
      for (const { client: http } of deps.accounts.values()) http.close();
      await Promise.allSettled([deps.journal.close(), connection.close(), db.destroy()]);
    },
  };
}

/** Does the database keep what it confirms, and is it the one that these settings have written? */
async function checkDatabase(db: Database, config: Config): Promise<void> {
  const unsafe = config.unsafeDatabase === true ? undefined : unsafeServerProblem(await unsafeSettings(db));
  if (unsafe !== undefined) throw new Error(unsafe);
  const wrong = await keepFingerprints(db, { given: fingerprintsOf(config), nowMs: Date.now() });
  if (wrong.length > 0) {
    throw new Error(wrong.map((mismatch) => `tramita: ${fingerprintProblem(mismatch)}`).join('\n'));
  }
}

const DAY_MS = 86_400_000;

function bodiesKept({ eventBodiesDays }: Config): { readonly eventBodiesMs?: number } {
  return eventBodiesDays === undefined ? {} : { eventBodiesMs: eventBodiesDays * DAY_MS };
}
