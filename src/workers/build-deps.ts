/** Configuration → what the activities need: one hardened client per account, the ledger with its limits, the spool. */
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { performance } from 'node:perf_hooks';
import { OPERATIONS, withExtraOperations } from '../contract/index.js';
import type { AccountDeps, ActivityDeps, ActivityLog } from '../activities/index.js';
import type { AccountConfig, Config } from '../config/index.js';
import { createTokens } from '../config/index.js';
import { createServiceClient } from '../http/index.js';
import { createJournal, createLedger, createLifeMemory, createSpool, type LedgerSettings } from '../ledger/index.js';
import {
  createCollections,
  createFacts,
  createLawyerCollections,
  createMonitors,
  createNotices,
  createPortfolios,
  createRecords,
} from '../records/index.js';
import { createInbox } from '../inbox/index.js';
import { pollsTaskQueue } from '../protocol/index.js';
import type { Database } from '../store/index.js';
import { createSweepRuns } from './sweep-runs.js';

export interface BuildDeps {
  readonly config: Config;
  readonly db: Database;
  readonly wake: ActivityDeps['wake'];
  readonly log: ActivityLog;
  readonly client: Client;
  readonly eventsFor: ActivityDeps['eventsFor'];
  readonly waitFor: ActivityDeps['waitFor'];
  /** Task queues that this process serves now. */
  readonly servedQueues?: ReadonlySet<string>;
}

export function buildActivityDeps(parts: BuildDeps): ActivityDeps {
  const { config, db, wake, log, client, eventsFor, waitFor, servedQueues } = parts;
  const { token } = createTokens(config.idKey ?? '');
  const catalogue = withExtraOperations(OPERATIONS, config.operations);
  const { gaps } = config;
  const life = createLifeMemory();
  const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
  return {
    accounts: new Map(Object.entries(config.accounts).map(([name, account]) => [name, accountDeps(name, account)])),
    ledger: createLedger({
      ...{ db, token, catalogue, gaps, memory: life },
      clock: clock.nowMs,
      settings: ledgerSettings(config),
    }),
    spool: createSpool(join(config.filesDir, 'spool')),
    journal: createJournal(join(config.filesDir, 'journal')),
    life,
    records: createRecords({ db }),
    collections: createCollections({ db }),
    facts: createFacts({ db }),
    lawyers: createLawyerCollections({ db }),
    notices: createNotices({ db }),
    monitors: createMonitors({ db }),
    portfolios: createPortfolios({ db }),
    sweep: createSweepRuns({
      ...{ client, token, taskQueue: config.taskQueue },
      masksCnj: (account) => config.accounts[account]?.maskCnj === true,
    }),
    catalogue,
    gaps,
    webhookUrlHosts: config.webhookUrlHosts,
    prices: config.prices,
    token,
    wake,
    eventsFor,
    waitFor,
    webhooksSilent: (account) => createInbox({ db, clock: clock.nowMs }).areWebhooksSilent(account),
    pollQueueOf: (account) => {
      const queue = pollsTaskQueue(config.taskQueue, account);
      return servedQueues?.has(queue) === true ? queue : undefined;
    },
    filesDir: config.filesDir,
    downloadOrigins: config.downloadHosts,
    clock,
    log,
  };
}

function accountDeps(name: string, account: AccountConfig): AccountDeps {
  return {
    name,
    baseUrl: account.apiUrl ?? '',
    client: createServiceClient({
      baseUrl: account.apiUrl ?? '',
      apiKey: account.apiKey ?? '',
      auth: account.auth,
    }),
    webhooks: account.webhooks,
    serverErrors: account.serverErrors,
    maskCnj: account.maskCnj,
    exclusive: account.exclusive,
    debitAt: account.debitAt,
    refunds: account.refunds,
  };
}

function ledgerSettings(config: Config): LedgerSettings {
  return {
    prices: config.prices,
    accounts: Object.fromEntries(
      Object.entries(config.accounts).map(([name, { maxSpendPerDay, maxSpendPerFlow, minBalance, outageAfter }]) => [
        name,
        {
          outageAfter,
          ...(maxSpendPerDay === undefined ? {} : { maxSpendPerDay }),
          ...(maxSpendPerFlow === undefined ? {} : { maxSpendPerFlow }),
          ...(minBalance === undefined ? {} : { minBalance }),
        },
      ]),
    ),
  };
}
