/** The charged call: what identifies a step, what is asked, how its charge is looked up and decided. Types only. */
import type { Cnj } from '../../contract/values/index.js';
import type { JsonObject } from '../../contract/json.js';
import type { ChargeClass, FlagName, Method, Paging } from '../../contract/operation.js';
import type { Parameters } from '../../contract/route.js';
import type { SettleChargeInput } from '../decisions.js';
import type { CommonSettings } from '../inputs/common.js';
import type { CallOutcome, UnexpectedRead } from '../outcome.js';
import type { AnswerView } from './readings.js';

/** Which logical step of which run a call belongs to: the unique key of its ledger row. */
export interface StepKey {
  readonly workflowId: string;
  /** Stable over resets and continue-as-new. */
  readonly firstRunId: string;
  readonly step: string;
  /** 1 for the first try of a step; a new ordinal for every further send. */
  readonly ordinal: number;
}

/** One call of the service, as every activity about it gets it. */
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
export interface ChargedCallInput
  extends
    StepKey,
    Omit<CallSubject, 'operation'>,
    Pick<CommonSettings, 'webhook' | 'webhookPatienceMs' | 'once' | 'maxAgeMs' | 'maxSpend' | 'budget'> {
  readonly workflowType: string;
  /** Fingerprint of the id key that the starter had; absent where none was kept. */
  readonly idKey?: string;
  /** Flags that change what is answered and paid (never the callback flag, which the activity adds by itself). */
  readonly flags: readonly FlagName[];
  /** Reused answers must have been settled at or after this instant, epoch ms. */
  readonly notBeforeMs?: number;
  /** Only a call that was sent at or after this instant, epoch ms, shows what is asked for: an earlier one is not joined. */
  readonly sentNotBeforeMs?: number;
  /** When the flow was started, epoch ms: answers that other flows bought since are reused, unless older than `notBeforeMs`. */
  readonly askedAtMs?: number;
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
  /** A read that is charged is booked under it. Absent in flows of older workers. */
  readonly firstRunId?: string;
  /** Since when this call is held, epoch ms. */
  readonly sinceMs: number;
  /** Why it is held; `outage` where it does not say. */
  readonly because?: 'outage' | 'database' | 'ledger';
}

/** What a flow knows of a call that it has made: enough to write its ledger row again if it is lost. */
export interface AttemptFacts extends StepKey {
  readonly workflowType: string;
  readonly flags: readonly FlagName[];
  readonly once?: string;
  /** When this send was begun, epoch ms. */
  readonly askedAtMs: number;
  /** When its activity was last scheduled, after all holds, epoch ms; absent in flows that began before it existed. */
  readonly sentAtMs?: number;
  /** The row was a copy of another flow's call: nothing was sent for it. */
  readonly isCopy?: boolean;
}

export interface AwaitFinalInput extends CallSubject {
  readonly intentId: string;
  /** Absent in flows that began before it was there. */
  readonly attempt?: AttemptFacts;
  /** Absent for a refresh whose 202 carried no id: then the status of the refresh is polled. */
  readonly requestId?: string;
  readonly sinceMs: number;
}

export interface DoubtPendingInput extends CallSubject {
  readonly intentId: string;
  /**
   * `unconfirmed`: adopted on evidence or by a person, and not ended within a polling round. `unreadable`: its status must not
   * be read, and it has no request id to poll.
   */
  readonly doubt: 'unconfirmed' | 'unreadable';
}

export type AwaitFinalResult =
  | { readonly kind: 'settled'; readonly call: CallOutcome; readonly unexpected?: UnexpectedRead }
  /** A read that should be free was charged. The charge is booked and the read is not made again; the work goes on. */
  | { readonly kind: 'unexpected charge'; readonly unexpected: UnexpectedRead }
  /** 401/403 on the poll itself. */
  | { readonly kind: 'credentials'; readonly status: number }
  /** The status, which should be free, was charged before, so it is not read any more; and there is no request id to poll. */
  | { readonly kind: 'barred' }
  /** 404/410 about the request id: the service has forgotten the work; the ledger row is `unknown` now. */
  | { readonly kind: 'forgotten'; readonly status: number; readonly unexpected?: UnexpectedRead };

/** The ledger row that pending work belongs to. Rows of `getRequest` itself do not count. */
export type FoundRequest =
  | { readonly known: false }
  | {
      readonly known: true;
      readonly intentId: string;
      readonly operation: string;
      readonly workflowId: string;
      readonly openedAtMs: number;
      /** Set if the call is about one case and is not final yet. */
      readonly cnj?: string;
      /** Its answer is a file. */
      readonly file?: true;
    };

/** The key by which the rows of a step are found: its run, or the `once` of its flow. */
export interface StepOfFlow {
  readonly account: string;
  readonly workflowType: string;
  readonly step: string;
  readonly once?: string;
  readonly run?: Pick<StepKey, 'workflowId' | 'firstRunId'>;
}

export interface LookUpRefreshInput {
  readonly account: string;
  readonly cnj: Cnj;
  /** The list that the flow wants to read; absent in flows that began before this member existed. */
  readonly list?: StepOfFlow;
}

/** What our own books know about refreshes of a case with its public documents. Also `finished` if the list is paid already. */
export type LookUpRefreshResult =
  { readonly refresh: 'finished' | 'none' } | { readonly refresh: 'pending'; readonly workflowId: string };

export interface ResolveUnknownInput extends StepKey, CallSubject {
  /** Absent in flows that began before it was there. */
  readonly attempt?: AttemptFacts;
  /** Known when the activity returned; absent after a timeout or a worker's death. */
  readonly intentId?: string;
  /** Id of the activity of the call if it ended without a result: what its free reads were charged has reached nobody. */
  readonly lostActivity?: string;
}

export interface SettleFromSpoolInput extends CallSubject {
  readonly intentId: string;
}

export interface RecordDecisionInput extends Pick<SettleChargeInput, 'decision' | 'by' | 'note' | 'requestId'> {
  readonly intentId: string;
}

export interface DescribeCallInput extends Omit<CallSubject, 'view'> {
  readonly flags?: readonly FlagName[];
  /** The flow has paid, so its account was configured: a worker that lacks the account must not refuse the call. */
  readonly goesOn?: true;
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
      /** The price is configured, or stated by the interface; otherwise `price` is only the default reserve. */
      readonly priceStated?: true;
      readonly paging: Paging;
      /** The answer is a file (a PDF), not JSON. */
      readonly file: boolean;
      /** `listing`: what it creates is looked for in a listing that is read before the call. */
      readonly evidence: 'listing' | 'other';
      /** By the service's names and in the spelling that is sent, without those that became `flags`. */
      readonly params: Parameters;
      /** Flags of the input, and those that `params` asked for by their wire names. */
      readonly flags: readonly FlagName[];
      /** The parameter that asks for a page by number, where one is known. */
      readonly pageParameter?: string;
      /** Replaces the account in the name of its queue, because several accounts share one. */
      readonly queueOf?: string;
      /** Keyed token of the call: equal calls have equal tokens. */
      readonly token: string;
    }
  /** Nothing was sent. The problem names the member, what was seen and what is accepted. */
  | { readonly known: false; readonly problem: string };

/** The description of a call that may be made. */
export type DescribedCall = Extract<CallDescription, { readonly known: true }>;
