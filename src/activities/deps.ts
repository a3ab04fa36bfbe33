/**
 * What activities need, given by whoever builds the worker (and by tests): nothing here makes its own client or reads the
 * environment. One {@link AccountDeps} per configured account.
 */
import type { Catalogue, Gaps, Prices } from '../contract/index.js';
import type { EventAbout } from '../inbox/index.js';
import type { ServiceClient } from '../http/index.js';
import type { Intent, Journal, Ledger, LifeMemory, Spool } from '../ledger/index.js';
import type {
  Collections,
  Facts,
  LawyerCollections,
  Monitors,
  Notices,
  Portfolios,
  Records,
} from '../records/index.js';
import type { SweepRuns } from './portfolio/types.js';

/** One configured account as activities see it: its client, and what configuration says about its money. */
export interface AccountDeps {
  readonly name: string;
  readonly client: ServiceClient;
  /** Base URL of the service, for links in its answers and for the queue of the legacy search. */
  readonly baseUrl: string;
  /** Whether flows of this account expect webhooks where their input says nothing. */
  readonly webhooks: boolean;
  /** `free`: a 5xx of this service is known to cost nothing. */
  readonly serverErrors: 'unknown' | 'free';
  /** Nobody else spends from this balance. */
  readonly exclusive: boolean;
  /** When the service debits a query that answers 202. */
  readonly debitAt: 'answer' | 'completion' | 'unknown';
  /** Whether the service may give back a single charge: what was given back hides a charge from the balance. */
  readonly refunds: 'never' | 'unknown';
  /** Case numbers become tokens in search attributes and summaries. */
  readonly maskCnj: boolean;
}

/** Wall and monotonic time; the larger age of both guards a send against paused processes and frozen machines. */
export interface Clock {
  nowMs(): number;
  monotonicMs(): number;
}

/** A logger that never inspects objects: only the given fields are written. */
export interface ActivityLog {
  info(fields: Readonly<Record<string, string | number | boolean | null>>, message: string): void;
  warn(fields: Readonly<Record<string, string | number | boolean | null>>, message: string): void;
  error(fields: Readonly<Record<string, string | number | boolean | null>>, message: string): void;
}

/** Everything that activities need; `createWorker` builds it, and tests may build their own. */
export interface ActivityDeps {
  readonly accounts: ReadonlyMap<string, AccountDeps>;
  readonly ledger: Ledger;
  readonly spool: Spool;
  readonly journal: Journal;
  /** What this process knows of the life of the ledger's database. */
  readonly life: LifeMemory;
  readonly records: Records;
  readonly collections: Collections;
  readonly facts: Facts;
  readonly lawyers: LawyerCollections;
  readonly notices: Notices;
  readonly monitors: Monitors;
  readonly portfolios: Portfolios;
  /** `refreshCase` runs of the portfolio's dispatcher. */
  readonly sweep: SweepRuns;
  /** Built-in and configured operations. */
  readonly catalogue: Catalogue;
  readonly gaps: Gaps;
  /** Hosts that a `webhook_url` in a request may name, with the port where it is not 443. */
  readonly webhookUrlHosts: readonly string[];
  /** Configured prices by operation id; `default` where nothing else is known. */
  readonly prices: Prices;
  /** Keyed HMAC (design 7): `token(kind, value)`. */
  readonly token: (kind: string, value: unknown) => string;
  /**
   * Signals `wake` to flows that wait for this row and notes it; never throws. A wake that is lost in a crash is still owed
   * in the database (the bridge's relay delivers it), and covered by the flow's own timers.
   */
  readonly wake: (intent: Intent, workflowIds: readonly string[]) => Promise<void>;
  /** From now on events about these keys wake the flow. */
  readonly waitFor: (wait: {
    readonly workflowId: string;
    readonly intentId: string;
    readonly keys: readonly string[];
  }) => Promise<void>;
  /** Events about any of the keys since an instant, newest first. */
  readonly eventsFor: (keys: readonly string[], sinceMs: number, limit: number) => Promise<readonly EventAbout[]>;
  /** The last webhooks that flows of the account expected did not come. */
  readonly webhooksSilent: (account: string) => Promise<boolean>;
  /** Queue of the account's polls while this process serves it. */
  readonly pollQueueOf: (account: string) => string | undefined;
  readonly filesDir: string;
  /** Origins that signed links may point to besides public https. */
  readonly downloadOrigins: readonly string[];
  readonly clock: Clock;
  readonly log: ActivityLog;
}
