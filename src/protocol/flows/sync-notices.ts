/** `syncNotices`: new notices of lawyers, from where they were read last. */
import { defineFlow, workflowIdOf } from '../flow.js';
import { day, optional, registrations, yesNo } from '../inputs/kinds.js';
import type { CommonInput } from '../inputs/common.js';
import type { FlowCosts } from '../results.js';

/** Input of `syncNotices`: the registrations of lawyers whose notices are read. */
export interface SyncNoticesInput extends CommonInput {
  /** Registrations like `"SP:123456"`. */
  readonly oabs: readonly string[];
  /** First civil day (São Paulo) to ask for, today at the latest; default: the day read last, minus five days of overlap. */
  readonly since?: string;
  /** Also buy the full text of every publication that has none yet. */
  readonly fullText?: boolean;
}

/** Days whose notices can no longer be queried. */
export interface NoticeGap {
  /** First civil day, `yyyy-MM-dd`. */
  readonly from: string;
  /** Last civil day, included. */
  readonly to: string;
  /** How many they are. */
  readonly days: number;
}

/** Result of `syncNotices`: how many notices came, and up to which day all are read. */
export interface SyncNoticesResult extends FlowCosts {
  /** Notices that were not known before. */
  readonly new: number;
  /** Notices in the answers, repeated ones included. */
  readonly seen: number;
  /** Civil day (São Paulo) up to which all registrations are read now. */
  readonly watermark: string;
  /** Full texts that came, bought or shared with another flow; `spent` is what this one has paid. */
  readonly fullTexts: number;
  /** Texts that did not fit into this run, or were refused with none bought after them: they come with the next one. */
  readonly textsLeft?: number;
  /**
   * Registrations whose query was answered 404 and told no consumption: there is nothing, or the service does not know one of
   * them. Their days are asked for again.
   */
  readonly unread?: readonly string[];
  /** Registrations that the service says have no notice monitor: it may not look for their notices. */
  readonly unmonitored?: readonly string[];
  /** Alarm: the last success is longer ago than a query reaches back. */
  readonly gap?: NoticeGap;
}

export const syncNotices = defineFlow<SyncNoticesInput, SyncNoticesResult>()({
  idPrefix: 'notices',
  scheduled: true,
  example: '{"oabs":["SP:123456"]}',
  members: {
    oabs: registrations,
    since: optional(day('must be a day that exists, like "2026-03-01"')),
    fullText: yesNo,
  },
  place: ({ oabs, fullText }, { token }) => ({
    id: [token('oabs', oabs)],
    summary: `Notices of ${oabs.length} registrations${fullText ? ' with full texts' : ''}`,
  }),
});

/** Default workflow id of `syncNotices`. `token`: of the sorted registrations, which are personal. */
export function syncNoticesId(account: string, token: string): string {
  return workflowIdOf(syncNotices, account, token);
}
