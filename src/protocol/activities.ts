/**
 * What flows may ask of the outside: inputs and results of every activity. Charged activities are registered under their
 * operation's id on the account's own queue, one HTTP request each, one attempt. Free activities live on the main queue
 * and are retried by the server. Plain JSON, small, without secrets and signed links.
 */
import type { Json, JsonObject } from '../contract/json.js';
import type { ChargeClass, FlagName, Method, OperationId, Paging } from '../contract/operation.js';
import type { Parameters } from '../contract/route.js';
import type { ChargeDecision } from './decisions.js';
import type { CallOutcome, ChargedCallResult, UnexpectedRead } from './outcome.js';
import type { RefreshCaseInput } from './inputs/index.js';
import type { MovementResult } from './results/read-case.js';
import type { StoredAnswerFile } from './results/call-operation.js';
import type { AuditMonitorsResult, DocumentResult, NoticeGap, Spent } from './results.js';

/** Which logical step of which run a call belongs to: the unique key of its ledger row. */
export interface StepKey {
  readonly workflowId: string;
  /** Stable over resets and continue-as-new. */
  readonly firstRunId: string;
  readonly step: string;
  /** 1 for the first try of a step; a new ordinal for every further send. */
  readonly ordinal: number;
}

/**
 * How an answer is read for the flow; the answer itself is stored whole. `documents`: one page of the public documents
 * (default of that operation). `body`: the JSON itself while it is small. `page`: how much is on a page and where the next one
 * is. `movements`: the same with the movements. `record`: the record while it is small. `summary`: the same with the state
 * of a summary. `none` (default): nothing but the facts.
 */
export type AnswerView =
  'none' | 'documents' | 'body' | 'page' | 'movements' | 'record' | 'summary' | 'notices' | 'monitor' | 'lawyerPage';

/** One call of the service as every activity that acts for it gets it. */
export interface CallSubject {
  readonly account: string;
  /** Id of a built-in or configured operation. */
  readonly operation: string;
  readonly params: Parameters;
  /** Members of the JSON body; only POST and PUT. */
  readonly body?: JsonObject;
  /** Path and query of a following page as the answer before gave them: sent byte for byte instead of the query of `params`. */
  readonly target?: string;
  readonly view?: AnswerView;
}

/** The operation is the activity's own name. */
export interface ChargedCallInput extends StepKey, Omit<CallSubject, 'operation'> {
  readonly workflowType: string;
  /** Flags that change what is answered and paid (never the callback flag, which the activity adds by itself). */
  readonly flags: readonly FlagName[];
  readonly webhook?: boolean;
  readonly webhookPatienceMs?: number;
  readonly once?: string;
  readonly maxAgeMs?: number;
  /** Reused answers must have been settled at or after this instant, epoch ms. */
  readonly notBeforeMs?: number;
  readonly maxSpend?: string;
  /** A cap over the calls of all flows that carry the same key; `limit` is a decimal string. */
  readonly budget?: { readonly key: string; readonly limit: string };
  /** Take the answer of this intent of another flow once it has settled. */
  readonly joinIntent?: string;
}

export interface AccountDescription {
  readonly known: boolean;
  /** Names that are configured; for the message when `known` is false. */
  readonly accounts: readonly string[];
  /** Set where the account masks case numbers: the value of the search attribute `TramitaCase`. */
  readonly caseAttribute?: string;
}

export interface AwaitReleaseInput {
  readonly account: string;
  /** Since when this flow waits, epoch ms. */
  readonly sinceMs: number;
}

export interface AwaitFinalInput extends CallSubject {
  readonly intentId: string;
  /** Absent for a refresh whose 202 carried no id: it goes by its status. */
  readonly requestId?: string;
  readonly sinceMs: number;
}

export type AwaitFinalResult =
  | { readonly kind: 'settled'; readonly call: CallOutcome; readonly unexpected?: UnexpectedRead }
  /** A read that should be free has charged; it is booked and not made again. The work goes on. */
  | { readonly kind: 'unexpected charge'; readonly unexpected: UnexpectedRead }
  /** 401/403 on the poll itself. */
  | { readonly kind: 'credentials'; readonly status: number }
  /** The free status has charged before, so it is not read any more, and there is no request to ask for. */
  | { readonly kind: 'barred' }
  /** 404/410 about the request id: the service has forgotten the work; the ledger row is `unknown` now. */
  | { readonly kind: 'forgotten'; readonly status: number; readonly unexpected?: UnexpectedRead };

/** Reading of a finished refresh, inside a `DONE` outcome. */
export interface RefreshReading {
  readonly state: 'done' | 'empty' | 'failed';
  readonly rawStatus: string | null;
  /** When we knew, epoch ms by our clock. */
  readonly finishedAtMs: number;
  /** When the service says it was, by its clock; null where it does not say. */
  readonly serviceTimeMs: number | null;
}

/** Reading of an answer itself: its JSON while it is small, its hash, or the file that it is. */
export interface BodyReading {
  readonly body?: Json;
  readonly bodySha256: string;
  readonly file?: StoredAnswerFile;
}

/** Where the next page is; `key` names its step. */
export type NextPageStep =
  | { readonly kind: 'link'; readonly target: string; readonly key: string }
  | { readonly kind: 'cursor'; readonly cursor: string; readonly li?: string; readonly key: string }
  | { readonly kind: 'page'; readonly page: number; readonly key: string }
  /** The service says that there is none. */
  | { readonly kind: 'end' }
  /** A link that must not be followed. */
  | { readonly kind: 'refused'; readonly problem: string }
  /** The service says nothing of pages, or nobody knows how to ask for one. */
  | { readonly kind: 'unsaid' };

/** Reading of one page of a collection. */
export interface PageFactsReading {
  readonly items: number;
  /** Equal for pages with equal items. */
  readonly fingerprint: string;
  readonly next: NextPageStep;
  /** What the service says there is in all; null where it does not say. */
  readonly total: number | null;
  /** `meta.search.partial`: true when not everything was searched. */
  readonly partial: boolean | null;
  /** `meta.search`. */
  readonly search: JsonObject | null;
}

/** Reading of one page of movements. */
export interface MovementsReading extends PageFactsReading {
  readonly movements: readonly MovementResult[];
  /** The page has more than `movements` holds: the rest is in the database. */
  readonly cut: boolean;
}

/** Reading of a summary, or of the end of the work that makes one. */
export interface SummaryReading {
  /** `data` of the answer as read; absent where it is larger than a result may be. */
  readonly record?: JsonObject;
  /** There is a text. */
  readonly ready: boolean;
  /** By the words for refreshes; `running` where it says nothing. */
  readonly state: 'running' | 'done' | 'empty' | 'failed';
  readonly rawStatus: string | null;
  readonly updatedAtMs: number | null;
}

export interface OpenCollectionInput {
  readonly account: string;
  /** Keyed token of operation and arguments, without `maxPages`. */
  readonly key: string;
  readonly operation: string;
  /** What the caller allows of answers already paid for; absent: only an unfinished collection goes on. */
  readonly maxAgeMs?: number;
}

/** Absent members: every page is bought. */
export interface OpenedCollection {
  readonly maxAgeMs?: number;
  /** When the collection was begun: older answers belong to none, epoch ms. */
  readonly notBeforeMs?: number;
}

export interface FinishCollectionInput {
  readonly account: string;
  readonly key: string;
  readonly pages: number;
  readonly items: number;
  readonly complete: boolean;
}

/** The row of our ledger that pending work belongs to; getRequest itself is nobody's work. */
export type FoundRequest =
  | { readonly known: false }
  | {
      readonly known: true;
      readonly intentId: string;
      readonly operation: string;
      readonly workflowId: string;
      readonly openedAtMs: number;
      /** Where the call is about one case and is not final yet. */
      readonly cnj?: string;
    };

/** What our own books know of the refreshes of a case with its public documents. */
export type LookUpRefreshResult =
  { readonly refresh: 'finished' | 'none' } | { readonly refresh: 'pending'; readonly workflowId: string };

/** Reading of one page of the documents list: no links. */
export interface DocumentsReading {
  readonly documents: readonly { readonly id: string; readonly title?: string; readonly type?: string }[];
  /** How many stand on this page; more than `documents` holds when `cut`. */
  readonly count: number;
  readonly cut: boolean;
  readonly total: number | null;
  readonly hasMore: boolean;
}

export interface ResolveUnknownInput extends StepKey, CallSubject {
  /** Known when the activity returned; absent after a timeout or a worker's death. */
  readonly intentId?: string;
}

export interface SettleFromSpoolInput extends CallSubject {
  readonly intentId: string;
}

export interface RecordDecisionInput {
  readonly intentId: string;
  readonly decision: ChargeDecision;
  readonly by: string;
  readonly note?: string;
  readonly requestId?: string;
}

export interface DownloadInput {
  readonly account: string;
  readonly cnj: string;
  /** Ledger row of the list page whose stored answer holds the links. */
  readonly intentId: string;
  readonly page: number;
  /** Only these documents; all of the page when absent. */
  readonly only?: readonly string[];
}

export interface DownloadResult {
  readonly documents: readonly DocumentResult[];
  /** Documents whose signed link has expired: only a paid new listing can bring them. */
  readonly expired: readonly string[];
}

export interface DescribeCallInput extends Omit<CallSubject, 'view'> {
  readonly flags?: readonly FlagName[];
}

/** What a flow must know of an operation before it calls it: the catalogue and configuration never enter a workflow. */
export type CallDescription =
  | {
      readonly known: true;
      readonly operation: string;
      readonly method: Method;
      readonly charge: ChargeClass;
      /** Whether this very call may cost money. */
      readonly charged: boolean;
      /** What one call is expected to cost at most, decimal string; `"0"` where it is free. */
      readonly price: string;
      readonly paging: Paging;
      /** The answer is a file (a PDF), not JSON. */
      readonly file: boolean;
      readonly announcedByWebhook: boolean;
      /** `listing`: what it creates is looked for in a listing that is read before the call. */
      readonly evidence: 'listing' | 'other';
      /** Under the service's names and in the spelling that is sent, without what `flags` says. */
      readonly params: Parameters;
      /** Those given and those that `params` asked for by their wire names. */
      readonly flags: readonly FlagName[];
      /** The parameter that asks for a page by number, where one is known. */
      readonly pageParameter?: string;
      /** Instead of the account in the name of its queue: it shares one with other accounts. */
      readonly queueOf?: string;
      /** Keyed token of the call: equal calls have equal tokens. */
      readonly token: string;
    }
  /** Nothing was sent. The problem names the member, what was seen and what is accepted. */
  | { readonly known: false; readonly problem: string };

/** Where the next free page of a lawyer's list is: the link of the page before, or its number. */
export interface LawyerCursor {
  readonly page: number;
  /** Request target of the link, byte for byte; null: by number. */
  readonly target: string | null;
}

export type LawyerCallParams = Parameters;

/** Reading of page 1. */
export interface LawyerPageReading {
  readonly complete: boolean;
  /** `cobertura.atualizadoEm` as sent. */
  readonly version: string | null;
  readonly items: number;
  readonly next:
    | { readonly kind: 'link'; readonly target: string }
    | { readonly kind: 'page'; readonly page: number }
    | { readonly kind: 'end' }
    | { readonly kind: 'refused' };
  readonly drift: number;
}

export interface SaveFirstPageInput {
  readonly account: string;
  readonly oab: string;
  readonly workflowId: string;
  readonly intentId: string;
  readonly setId: string;
  readonly complete: boolean;
}

export interface SaveFirstPageResult {
  readonly cases: number;
  readonly withoutNumber: number;
}

export interface ReadLawyerPagesInput {
  readonly account: string;
  readonly params: LawyerCallParams;
  readonly setId: string;
  /** Every page must carry it. */
  readonly version: string | null;
  readonly cursor: LawyerCursor;
  /** For whom it is read: a charge that should not be is booked there. */
  readonly reader: { readonly workflowId: string; readonly firstRunId: string; readonly workflowType: string };
}

export type ReadLawyerPagesResult =
  | { readonly kind: 'more'; readonly pages: number; readonly cursor: LawyerCursor }
  | { readonly kind: 'end'; readonly pages: number }
  | { readonly kind: 'version moved'; readonly pages: number }
  | { readonly kind: 'loop'; readonly pages: number; readonly page: number }
  | {
      readonly kind: 'charged';
      readonly pages: number;
      readonly unexpected: UnexpectedRead;
      /** Behind the page that was charged, which is staged; null at the end; absent where it could not be read. */
      readonly cursor?: LawyerCursor | null;
    }
  | { readonly kind: 'refused'; readonly pages: number; readonly status: number };

export interface CommitImportInput {
  readonly account: string;
  readonly oab: string;
  readonly setId: string;
  readonly version: string | null;
}

export interface PlanNoticesInput {
  readonly account: string;
  readonly oabs: readonly string[];
  readonly since?: string;
}

/** Registrations that are asked for together; `desde` is a civil day, null where the service's default counts. */
export interface NoticeBatch {
  readonly oabs: readonly string[];
  readonly desde: string | null;
}

export interface NoticesPlan {
  /** Civil day of São Paulo: the watermark afterwards. */
  readonly today: string;
  readonly batches: readonly NoticeBatch[];
  /** Days that no query can return any more; null when there are none. */
  readonly gap: NoticeGap | null;
}

export interface SaveNoticesInput {
  readonly account: string;
  readonly oabs: readonly string[];
  readonly today: string;
  /** Ledger row whose stored answer holds the notices. */
  readonly intentId: string;
}

export interface SaveNoticesResult {
  readonly seen: number;
  readonly added: number;
}

export interface SaveNoticeTextInput {
  readonly account: string;
  readonly publicationId: string;
  /** Ledger row of the answer; absent where the service says that there is no such publication. */
  readonly intentId?: string;
}

export interface PlanNoticeMonitorInput {
  readonly account: string;
  readonly oabs: readonly string[];
  readonly terms?: readonly string[];
  readonly origins?: readonly string[];
  readonly webhookUrl?: string;
}

export interface EnsurePlan {
  readonly kind: 'plan';
  /** Registrations without an active monitor. */
  readonly create: readonly string[];
  /** True when some of them have an inactive one. */
  readonly activates: boolean;
  /** Registrations whose active monitor is another one than asked. */
  readonly update: readonly string[];
  /** Parameters that name each registration of `update`, as configured; absent from plans of older workers. */
  readonly updateParams?: readonly Parameters[];
  /** Active monitors of the registrations. */
  readonly monitors: readonly { readonly id: string | null; readonly status: string | null }[];
  /** The listing has charged, although it should be free. */
  readonly unexpected?: UnexpectedRead;
}

/** The free listing was refused: nothing was spent. */
export interface ListingRefused {
  readonly kind: 'refused';
  readonly status: number;
  readonly reason: string;
}

/** Reading of an answer about a monitor. */
export interface MonitorReading {
  readonly monitors: readonly { readonly id: string | null; readonly status: string | null }[];
  readonly callback?: { readonly enabled: boolean | null; readonly mode: string | null };
  readonly billing?: { readonly monthlyPrice: string };
}

export interface AuditMonitorsReport extends Omit<AuditMonitorsResult, 'spent' | 'receipts'> {
  readonly kind: 'report';
}

/** One shift of a portfolio's dispatcher. */
export interface DispatchInput {
  /** Names the round for ever: the same one again goes on where it stopped. */
  readonly round: string;
  readonly account: string;
  readonly name: string;
  readonly cases?: readonly string[];
  readonly concurrency: number;
  readonly shiftMs: number;
  /** Cap of the whole round. */
  readonly maxSpend?: string;
  /** What every refresh is started with, beside case and account. */
  readonly refresh: Pick<RefreshCaseInput, 'documents' | 'maxAge' | 'webhook'>;
}

export interface DispatchResult {
  readonly done: number;
  readonly failed: number;
  readonly parked: number;
  readonly skipped: number;
  /** Not started, or not ended yet. */
  readonly remaining: number;
  /** Nothing is in flight, and nothing more can be started. */
  readonly finished: boolean;
  readonly stoppedBy: 'budget' | 'account' | null;
  readonly spent: Spent;
}

export type ChargedActivity = (input: ChargedCallInput) => Promise<ChargedCallResult>;

/** Activities by operation id: every operation of the catalogue, and those that configuration adds. */
export type ChargedActivities = Readonly<Record<OperationId, ChargedActivity>> &
  Readonly<Record<string, ChargedActivity>>;

/** Free activities of the main queue. All may be repeated at will. */
export interface FreeActivities {
  /** Local: is this account configured, and does it mask case numbers? */
  describeAccount(input: { readonly account: string; readonly cnj?: string }): Promise<AccountDescription>;
  /** Local: may this call be made as asked, and what is it? Sends nothing. */
  describeCall(input: DescribeCallInput): Promise<CallDescription>;
  /** Does our ledger know this request id? */
  findRequest(input: { readonly account: string; readonly requestId: string }): Promise<FoundRequest>;
  /** Begins a collection, or takes up the one that did not end. */
  openCollection(input: OpenCollectionInput): Promise<OpenedCollection>;
  finishCollection(input: FinishCollectionInput): Promise<void>;
  /** Has a refresh with public documents of this case ended, is one under way? From our own books. */
  lookUpRefresh(input: { readonly account: string; readonly cnj: string }): Promise<LookUpRefreshResult>;
  /** One poll an attempt; "not yet" is a retryable BENIGN failure with its own delay. */
  awaitFinal(input: AwaitFinalInput): Promise<AwaitFinalResult>;
  /** Waits out an outage of the service: one look an attempt; "not yet" as for the poll. */
  awaitRelease(input: AwaitReleaseInput): Promise<void>;
  /** Closes the door, waits out the call, reads the ledger: what is known now. */
  resolveUnknown(input: ResolveUnknownInput): Promise<CallOutcome>;
  /** Reads the listing before a call whose result is found by it. */
  takeListing(
    input: StepKey & CallSubject,
  ): Promise<{ readonly complete: boolean; readonly unexpected?: UnexpectedRead }>;
  /** Settles an answer that only the spool has. */
  settleFromSpool(input: SettleFromSpoolInput): Promise<CallOutcome>;
  /** Writes a person's decision into the ledger and wakes flows that are parked on the row. */
  recordDecision(input: RecordDecisionInput): Promise<void>;
  /** Fetches the files of one list page, with a heartbeat per file. */
  downloadDocuments(input: DownloadInput): Promise<DownloadResult>;
  /** Local: parameters of the lawyer's list under their configured names. */
  describeLawyer(input: { readonly oab: string; readonly pageSize?: number }): Promise<LawyerCallParams>;
  /** Page 1 from its stored answer into the staging, or into the provisional rows. */
  saveFirstPage(input: SaveFirstPageInput): Promise<SaveFirstPageResult>;
  /** A chunk of free pages into the staging. */
  readLawyerPages(input: ReadLawyerPagesInput): Promise<ReadLawyerPagesResult>;
  /** Makes the staged set the one that readers see; returns how many cases it has. */
  commitImport(input: CommitImportInput): Promise<number>;
  /** Queries of a sync of notices, from the watermarks. */
  planNotices(input: PlanNoticesInput): Promise<NoticesPlan>;
  /** Rows of a stored answer, and the watermarks that it moves. */
  saveNotices(input: SaveNoticesInput): Promise<SaveNoticesResult>;
  findNoticeTexts(input: {
    readonly account: string;
    readonly oabs: readonly string[];
    readonly limit: number;
  }): Promise<{ readonly publicationIds: readonly string[]; readonly left: number }>;
  saveNoticeText(input: SaveNoticeTextInput): Promise<void>;
  /** Lists notice monitors (free) and says what is to be done. */
  planNoticeMonitor(input: PlanNoticeMonitorInput): Promise<EnsurePlan | ListingRefused>;
  auditMonitors(input: { readonly account: string }): Promise<AuditMonitorsReport | ListingRefused>;
  /** One shift of a portfolio: starts refreshes and waits for their ends, with a heartbeat. */
  dispatchPortfolio(input: DispatchInput): Promise<DispatchResult>;
}
