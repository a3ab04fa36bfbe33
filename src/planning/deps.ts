/** Dependencies of a plan: configuration, and reads of our own database. None of them can send anything to the service. */
import type { Client } from '@temporalio/client';
import { OPERATIONS, present, withExtraOperations, type Catalogue, type Gaps, type Prices } from '../contract/index.js';
import { createNaming, type Config } from '../config/index.js';
import { createLedger, type Ledger, type LedgerSettings } from '../ledger/index.js';
import type { Naming } from '../protocol/index.js';
import {
  createCollections,
  createNotices,
  createPortfolios,
  createRecords,
  type Collections,
  type Notices,
  type Portfolios,
  type Records,
} from '../records/index.js';
import type { Database } from '../store/index.js';

/** Reads only: a plan cannot open a call. */
type LedgerReads = Pick<Ledger, 'foresee' | 'figuresOf' | 'find' | 'about' | 'mayBePaid' | 'answerBytes'>;

/** Dependencies of a plan. */
export interface PlanDeps {
  /** Connection to the database of the workers (`connect`). It only reads. */
  readonly db: Database;
  /** The configuration of the workers: prices, caps, gaps and the id key. API keys are not needed. */
  readonly config: Pick<Config, 'accounts' | 'idKey' | 'prices' | 'gaps' | 'operations' | 'webhookUrlHosts'>;
  /** Asks Temporal whether the flow is running already; without it only the ledger is asked. */
  readonly client?: Client;
  /** Clock, epoch ms; `Date.now`. */
  readonly nowMs?: () => number;
  /** Called after each case of a list. */
  readonly onCase?: (done: number, of: number) => void;
}

export interface Planner extends Naming, Pick<PlanDeps, 'onCase'> {
  readonly ledger: LedgerReads;
  readonly settings: LedgerSettings;
  readonly records: Pick<Records, 'findRefresh'>;
  readonly collections: Collections;
  readonly notices: Pick<Notices, 'today' | 'watermarks' | 'peekFirst' | 'withoutText'>;
  readonly portfolios: Pick<Portfolios, 'activityOf' | 'casesOf' | 'count' | 'left'>;
  readonly catalogue: Catalogue;
  readonly gaps: Gaps;
  readonly prices: Prices;
  readonly webhookUrlHosts: readonly string[];
  readonly accounts: ReadonlyMap<string, { readonly baseUrl: string }>;
  readonly clock: { nowMs(): number };
}

/** @throws when the configuration has no id key: without it equal calls are not found. */
export function createPlanner({ db, config, nowMs = Date.now, onCase }: Omit<PlanDeps, 'client'>): Planner {
  const { accounts, prices, gaps, operations, webhookUrlHosts } = config;
  const naming = createNaming(config);
  const catalogue = withExtraOperations(OPERATIONS, operations);
  const settings = { accounts, prices };
  return {
    ...naming,
    ...present({ onCase }),
    ledger: createLedger({ db, token: naming.token, catalogue, gaps, settings, clock: nowMs }),
    records: createRecords({ db }),
    collections: createCollections({ db }),
    notices: createNotices({ db, token: naming.token }),
    portfolios: createPortfolios({ db }),
    accounts: new Map(Object.entries(accounts).map(([name, { apiUrl = '' }]) => [name, { baseUrl: apiUrl }])),
    clock: { nowMs },
    settings,
    catalogue,
    gaps,
    prices,
    webhookUrlHosts,
  };
}

export function noListText(account: string, list: string): string {
  return `there is no list "${list}" of account "${account}"; "tramita lists show" shows those that exist`;
}
