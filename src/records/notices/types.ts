/** Types of notices: what was read for which registrations, until which day. Civil dates are `yyyy-MM-dd` in São Paulo. */
import type { CivilDate, Notice } from '../../contract/index.js';
import type { StartKey } from '../start-key.js';

export interface NoticePage {
  readonly account: string;
  /** `UF:number` of every registration that the answer is about. */
  readonly oabs: readonly string[];
  readonly notices: readonly Notice[];
  /** Their watermark afterwards, unless the service was asked on an earlier day. */
  readonly today: CivilDate;
  /** When the service was asked: a reused answer counts for its own day. */
  readonly askedAtMs: number;
  /** First day that was asked for: a watermark does not skip days before it that were never read. */
  readonly from?: CivilDate;
  /**
   * The service had more notices than it gave. The watermark moves to the day up to which it gave all. If that is not known the
   * watermark stays, and that of a registration that was never read begins at the service's reach.
   */
  readonly cut?: { readonly wholeUntil: CivilDate | null; readonly reach: CivilDate };
  readonly nowMs: number;
  /** When the first attempt began: it may have stored the page, so what was first seen since then is new too. */
  readonly firstTriedAtMs?: number;
}

export interface SavedNotices {
  readonly seen: number;
  /** Notices that were not known before, those of an earlier attempt included. */
  readonly added: number;
  /** Earliest watermark of these registrations now. */
  readonly readUntil: CivilDate;
}

export interface Watermark {
  readonly oab: string;
  readonly readUntil: CivilDate;
}

/** The state by which a sync was planned. */
export interface PlannedBy {
  readonly today: CivilDate;
  /** Watermarks in the order of the registrations that were asked for; null where one was never read. */
  readonly readUntil: readonly (CivilDate | null)[];
}

export interface Notices {
  /** Upserts the page and moves the watermarks, in one transaction. */
  save(page: NoticePage): Promise<SavedNotices>;
  watermarks(account: string, oabs: readonly string[]): Promise<readonly Watermark[]>;
  /**
   * The state by which this start was first planned; the first time that is `now`, which is then stored. Under a `once` it is
   * kept without expiry, like its ledger rows; under a run as long as records.
   */
  keepFirst(sync: {
    readonly account: string;
    /** All starts with the same `once` share a plan, and so do a first run and its resets. */
    readonly start: StartKey;
    readonly now: PlannedBy;
  }): Promise<PlannedBy>;
  /** What {@link Notices.keepFirst} has kept; writes nothing. */
  peekFirst(sync: { readonly account: string; readonly start: StartKey }): Promise<PlannedBy | undefined>;
  /** Today in São Paulo. */
  today(nowMs: number): Promise<CivilDate>;
  /**
   * Publications of these registrations without a full text, newest first. A notice that names none of the registrations of its
   * query counts if all of those are among these.
   */
  withoutText(account: string, oabs: readonly string[], limit: number): Promise<readonly string[]>;
  /** Returns how many notices have got the text. `ifMissing`: those that have one keep it. */
  saveText(text: {
    readonly account: string;
    readonly publicationId: string;
    readonly data: unknown;
    readonly ifMissing?: boolean;
    readonly nowMs: number;
  }): Promise<number>;
}
