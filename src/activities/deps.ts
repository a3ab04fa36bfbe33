/**
 * Dependencies of the activities, passed in by the worker's builder and by tests: activities create no clients and never
 * read the environment. There is one {@link AccountDeps} per configured account.
 */
import type { Catalogue, Gaps, Prices } from '../contract/index.js';
import type { Files } from '../files/index.js';
import type { EventAbout, Wake } from '../inbox/index.js';
import type { ServiceClient, downloadFile } from '../http/index.js';
import type { Journal, Ledger, LifeMemory, Spool } from '../ledger/index.js';
import type {
  Collections,
  Facts,
  LawyerCollections,
  Monitors,
  Notices,
  Portfolios,
  Records,
} from '../records/index.js';
import type { RefreshCaseInput, WorkerVersion } from '../protocol/index.js';

/** One configured account as activities see it: its client, and what configuration says about its money. */
export interface AccountDeps {
  readonly name: string;
  readonly client: ServiceClient;
  /** Base URL of the service, for links in its answers and for the queue of the legacy search. */
  readonly baseUrl: string;
  /** Whether flows of this account expect webhooks if their input does not say. */
  readonly webhooks: boolean;
  /** `free`: a 5xx of this service is known to cost nothing. */
  readonly serverErrors: 'unknown' | 'free';
  /** Only tramita spends from this balance. */
  readonly exclusive: boolean;
  /** When the service debits a query that answers 202. */
  readonly debitAt: 'answer' | 'completion' | 'unknown';
  /** Whether the service may refund a single charge: a refund hides a charge from the balance. */
  readonly refunds: 'never' | 'unknown';
  /** Case numbers become tokens in search attributes and summaries. */
  readonly maskCnj: boolean;
}

/** Wall-clock and monotonic time. The larger age of both guards a send against paused processes and frozen machines. */
export interface Clock {
  nowMs(): number;
  monotonicMs(): number;
  /** How far `nowMs` is ahead of the machine's own clock, which dates its files, ms; default 0. */
  aheadOfMachineMs?(): number;
  /** Corrects `nowMs` if the machine's clock was changed meanwhile. Rejects while what it is corrected by does not answer. */
  setIfChanged?(): Promise<void>;
}

/** Now by the machine's own clock, for comparison with the dates of its files. */
export function machineNowMs(clock: Clock): number {
  return clock.nowMs() - (clock.aheadOfMachineMs?.() ?? 0);
}

/** Before work that may begin by the last correction, while the database does not answer. An intent may not. */
export async function correctIfChanged(clock: Clock): Promise<void> {
  await clock.setIfChanged?.().catch(() => undefined);
}

/** A logger that never inspects objects: only the given fields are written. */
export interface ActivityLog {
  readonly info: WriteLog;
  readonly warn: WriteLog;
  readonly error: WriteLog;
}

type WriteLog = (fields: Readonly<Record<string, string | number | boolean | null>>, message: string) => void;

/** The service, how it is called, and the clock by which its answers are judged. */
export interface ServiceDeps {
  readonly accounts: ReadonlyMap<string, AccountDeps>;
  /** Built-in and configured operations. */
  readonly catalogue: Catalogue;
  readonly gaps: Gaps;
  /** Where answers that are files land and are kept. */
  readonly files: Files;
  readonly clock: Clock;
  readonly log: ActivityLog;
}

/** The rows of charged calls, and the flows that wait for them. */
export interface LedgerDeps {
  readonly ledger: Ledger;
  /**
   * Signals flows and marks their wakes; never throws. If a crash loses a wake, the database still owes it and the relay
   * delivers it; the flow's own timers cover it as well.
   */
  readonly wake: (wakes: readonly Wake[]) => Promise<void>;
  /** Task queue for polls of the account; undefined if this process does not serve it. */
  readonly pollQueueOf: (account: string) => string | undefined;
  /** Whether one poll may be made now outside that queue, within the account's poll rate. Each `true` allows one poll. */
  readonly mayLookSoon: (account: string) => Promise<boolean>;
}

/** What this machine knows of calls even without the database. */
export interface WitnessDeps {
  readonly spool: Spool;
  readonly journal: Journal;
  /** What this process knows of the life of the ledger's database. */
  readonly life: LifeMemory;
}

/** What is kept of an answer besides the answer itself. */
export interface RecordDeps {
  readonly records: Records;
  readonly facts: Facts;
  readonly monitors: Monitors;
  readonly notices: Notices;
}

/** Webhooks: which flows wait, which events came, whether any come at all. */
export interface EventDeps {
  /** Events about these keys that came after `sinceMs` wake the flow, from now on. */
  readonly waitFor: (wait: {
    readonly workflowId: string;
    readonly intentId: string;
    readonly keys: readonly string[];
    readonly sinceMs?: number;
  }) => Promise<void>;
  /** Events about any of the keys since an instant, newest first. */
  readonly eventsFor: (keys: readonly string[], sinceMs: number, limit: number) => Promise<readonly EventAbout[]>;
  /** True if the last webhooks that flows of the account expected did not come. */
  readonly webhooksSilent: (account: string) => Promise<boolean>;
}

/** Which calls are allowed, and what they are expected to cost. */
export interface TermDeps {
  /** Hosts that a `webhook_url` in a request may name, with the port where it is not 443. */
  readonly webhookUrlHosts: readonly string[];
  /** Configured prices by operation id; `default` where nothing else is known. */
  readonly prices: Prices;
  /** Keyed HMAC: `token(kind, value)`. */
  readonly token: (kind: string, value: unknown) => string;
}

/** Starts and watches `refreshCase` runs for the portfolio dispatcher: activities have no Temporal client. */
export interface SweepRuns {
  /** Starts an ordinary run under its own id, or joins the running one. After its end a new run pays nothing again (`once`). */
  start(refresh: SweepRefresh): Promise<SweepStart>;
  /** Resolves when the run has ended or parked; rejects when aborted. */
  watch(run: SweepRun, signal: AbortSignal): Promise<SweepEnd>;
  /** The state of the run now; undefined while it is running. */
  look(run: SweepRun, signal: AbortSignal): Promise<SweepEnd | undefined>;
}

export interface SweepRun {
  readonly workflowId: string;
  readonly runId: string;
}

export interface SweepRefresh {
  readonly input: RefreshCaseInput;
  /** `once` key of this refresh: its steps are paid once, however often it is started. */
  readonly once: string;
  /** Cap of the whole portfolio; every intent of the refresh counts against it. */
  readonly budget?: { readonly key: string; readonly limit: string };
}

export type SweepStart =
  | ({ readonly kind: 'started' } & SweepRun)
  /** A run with another input is in progress. */
  | { readonly kind: 'other input' };

export type SweepEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly type: string }
  | { readonly kind: 'parked'; readonly attention: string };

/** All dependencies. `createWorker` builds them, tests may build their own, and each activity declares the part it uses. */
export interface ActivityDeps extends ServiceDeps, LedgerDeps, WitnessDeps, RecordDeps, EventDeps, TermDeps {
  readonly collections: Collections;
  readonly lawyers: LawyerCollections;
  readonly portfolios: Portfolios;
  readonly sweep: SweepRuns;
  /** Whether new flows go to this worker version only; rejects if Temporal cannot be reached. */
  readonly isSettledVersion: (version: WorkerVersion) => Promise<boolean>;
  /** Origins that signed links may point to besides public https. */
  readonly downloadOrigins: readonly string[];
  /** Replaces `downloadFile`, for callers that wrap it. */
  readonly download?: typeof downloadFile;
}
