/** Notices: the plan of queries, what is stored, the texts. Types only. */
import type { NoticeGap } from '../flows/sync-notices.js';
import type { StepKey } from './step.js';

export interface PlanNoticesInput {
  readonly account: string;
  readonly oabs: readonly string[];
  readonly since?: string;
  /** All starts under one `once` follow the plan of the first one. */
  readonly once?: string;
  /** Without `once`, runs after a reset follow the plan of this first run. Absent in flows of older workers. */
  readonly firstRunId?: string;
}

/** Registrations of one query. `desde` is a civil day; null: the service's default. */
export interface NoticeBatch {
  readonly oabs: readonly string[];
  readonly desde: string | null;
}

export interface NoticesPlan {
  /** Civil day in São Paulo: the watermark after the sync, if every batch was read up to today. */
  readonly today: string;
  readonly batches: readonly NoticeBatch[];
  /** Days that no query can return any more; null when there are none. */
  readonly gap: NoticeGap | null;
  /** Why the sync cannot be made as asked; absent if it can. */
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
  /** Set if the query was answered 404: there are no notices or, unless `looked`, perhaps an unknown registration. */
  readonly missing?: { readonly looked: boolean; readonly askedAtMs: number };
}

export interface SaveNoticesResult {
  readonly seen: number;
  readonly added: number;
  /** Civil day up to which these registrations are read now; absent from older workers. */
  readonly readUntil?: string;
  /** Those of the registrations that the service says have no monitor; absent where it names none. */
  readonly unmonitored?: readonly string[];
}

export interface FindNoticeTextsInput {
  readonly account: string;
  readonly oabs: readonly string[];
  readonly limit: number;
  /** The run: its result also counts texts that it bought before a reset. Absent in flows of older workers. */
  readonly run?: Pick<StepKey, 'workflowId' | 'firstRunId'>;
}

export interface SaveNoticeTextInput {
  readonly account: string;
  readonly publicationId: string;
  /** Ledger row of the answer; absent where the service knows no such publication or refuses it. */
  readonly intentId?: string;
}
