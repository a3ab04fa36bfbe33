/** Notices: the plan of queries, what is stored, the texts. Types only. */
import type { NoticeGap } from '../flows/sync-notices.js';
import type { StepKey } from './step.js';

export interface PlanNoticesInput {
  readonly account: string;
  readonly oabs: readonly string[];
  readonly since?: string;
  /** Every start with it follows the plan of the first one. */
  readonly once?: string;
  /** Without `once` the runs that a reset makes follow the plan of this one. Absent: from an older worker. */
  readonly firstRunId?: string;
}

/** Registrations that are asked for together; `desde` is a civil day, null where the service's default counts. */
export interface NoticeBatch {
  readonly oabs: readonly string[];
  readonly desde: string | null;
}

export interface NoticesPlan {
  /** Civil day of São Paulo: the watermark afterwards, where every batch was asked for today. */
  readonly today: string;
  readonly batches: readonly NoticeBatch[];
  /** Days that no query can return any more; null when there are none. */
  readonly gap: NoticeGap | null;
  /** Why nothing can be asked for as it was; absent where it can. */
  readonly problem?: string;
}

export interface SaveNoticesInput {
  readonly account: string;
  readonly oabs: readonly string[];
  readonly today: string;
  /** First civil day that was asked for; absent where the service's default counts. */
  readonly desde?: string;
  /** Ledger row whose stored answer holds the notices. */
  readonly intentId: string;
  /** It was answered 404, so there are none. Unless the service has looked, that may be about a registration. */
  readonly missing?: { readonly looked: boolean; readonly askedAtMs: number };
}

export interface SaveNoticesResult {
  readonly seen: number;
  readonly added: number;
  /** Up to which these registrations are read now; absent where an older worker stored them. */
  readonly readUntil?: string;
  /** Those of the registrations that the service says have no monitor; absent where it names none. */
  readonly unmonitored?: readonly string[];
}

export interface FindNoticeTextsInput {
  readonly account: string;
  readonly oabs: readonly string[];
  readonly limit: number;
  /** What it has bought before a reset is listed as well, so that its result names it. Absent: from an older worker. */
  readonly run?: Pick<StepKey, 'workflowId' | 'firstRunId'>;
}

export interface SaveNoticeTextInput {
  readonly account: string;
  readonly publicationId: string;
  /** Ledger row of the answer; absent where the service knows no such publication or refuses it. */
  readonly intentId?: string;
}
