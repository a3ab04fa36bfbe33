/** Builds the dependencies of the activities from the configuration: one hardened client per account, the ledger, the spool. */
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { performance } from 'node:perf_hooks';
import { OPERATIONS, present, withExtraOperations, type Catalogue } from '../contract/index.js';
import type { AccountDeps, ActivityDeps, ActivityLog } from '../activities/index.js';
import { createStarterDeps, type AccountConfig, type Config } from '../config/index.js';
import { createFiles } from '../files/index.js';
import { createServiceClient } from '../http/index.js';
import { createJournal, createLedger, createLifeMemory, createSpool } from '../ledger/index.js';
import {
  createCollections,
  createFacts,
  createLawyerCollections,
  createMonitors,
  createNotices,
  createPortfolios,
  createRecords,
} from '../records/index.js';
import type { Inbox } from '../inbox/index.js';
import { pollsTaskQueue } from '../protocol/index.js';
import { createDatabaseClock, type Database, type DatabaseClock } from '../store/index.js';
import { isSettledVersion } from '../temporal-client/index.js';
import type { Traces } from '../traces/index.js';
import { tracedClient, tracedDownload } from './call-traces.js';
import { shareLook, shareLooks } from './share-looks.js';
import { createLookTurns } from './look-turns.js';
import { createSweepRuns } from './sweep-runs.js';

interface BuildDeps {
  readonly config: Config;
  readonly db: Database;
  readonly wake: ActivityDeps['wake'];
  readonly log: ActivityLog;
  readonly client: Client;
  readonly inbox: Inbox;
  /** Task queues that this process serves now. */
  readonly servedQueues?: ReadonlySet<string>;
  readonly traces?: Traces | undefined;
  readonly databaseClock?: DatabaseClock;
}

export function buildActivityDeps(parts: BuildDeps): ActivityDeps {
  const { config, db, wake, log, client, inbox, servedQueues, traces } = parts;
  const { databaseClock = createDatabaseClock(db) } = parts;
  const starter = createStarterDeps(config, client);
  const { token } = starter;
  const catalogue = withExtraOperations(OPERATIONS, config.operations);
  const { gaps } = config;
  const life = createLifeMemory();
  const clock = { ...databaseClock, monotonicMs: () => performance.now() };
  const ledger = createLedger({
    db,
    token,
    catalogue,
    gaps,
    memory: life,
    clock: clock.nowMs,
    settings: { prices: config.prices, accounts: config.accounts },
  });
  return {
    accounts: new Map(
      Object.entries(config.accounts).map(([name, account]) => [
        name,
        accountDeps(name, account, { catalogue, traces, clock: clock.nowMs }),
      ]),
    ),
    ledger: { ...ledger, ...shareLooks(ledger, clock) },
    spool: createSpool(join(config.filesDir, 'spool'), clock.nowMs),
    journal: createJournal(join(config.filesDir, 'journal'), (file) =>
      log.error(
        { file },
        'the state of the journal is damaged; it was set aside, and the journal begins under a new id',
      ),
    ),
    life,
    records: createRecords({ db }),
    collections: createCollections({ db }),
    facts: createFacts({ db }),
    lawyers: createLawyerCollections({ db, token }),
    notices: createNotices({ db, token }),
    monitors: createMonitors({ db }),
    portfolios: createPortfolios({ db }),
    sweep: createSweepRuns(starter),
    isSettledVersion: (version) => isSettledVersion(client, version),
    catalogue,
    gaps,
    webhookUrlHosts: config.webhookUrlHosts,
    prices: config.prices,
    token,
    wake,
    eventsFor: (keys, sinceMs, limit) => inbox.eventsAbout({ keys, sinceMs, limit }),
    waitFor: (wait) => inbox.waitFor(wait),
    webhooksSilent: shareLook((account) => inbox.areWebhooksSilent(account), clock),
    pollQueueOf: (account) => {
      const queue = pollsTaskQueue(config.taskQueue, account);
      return servedQueues?.has(queue) === true ? queue : undefined;
    },
    mayLookSoon: createLookTurns({ db, clock, accounts: config.accounts }),
    files: createFiles(config),
    downloadOrigins: config.downloadHosts,
    ...present({ download: traces === undefined ? undefined : tracedDownload(traces) }),
    clock,
    log,
  };
}

function accountDeps(
  name: string,
  account: AccountConfig,
  {
    catalogue,
    traces,
    clock,
  }: { readonly catalogue: Catalogue; readonly traces: Traces | undefined; readonly clock: () => number },
): AccountDeps {
  const { apiUrl: baseUrl = '', apiKey = '', auth, webhooks, serverErrors, maskCnj } = account;
  const { exclusive, debitAt, refunds } = account;
  const plain = createServiceClient({ baseUrl, apiKey, auth, clock });
  const client = traces === undefined ? plain : tracedClient(plain, traces, { name, serverErrors, catalogue });
  return { name, baseUrl, client, webhooks, serverErrors, maskCnj, exclusive, debitAt, refunds };
}
