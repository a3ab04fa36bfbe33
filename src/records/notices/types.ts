/** Words of notices: what was read of whom, until which day. Civil dates are `yyyy-MM-dd` of São Paulo. */
import type { CivilDate, Notice } from '../../contract/index.js';
import type { StartKey } from '../start-key.js';

export interface NoticePage {
  readonly account: string;
  /** `UF:number` of every registration that the answer is about. */
  readonly oabs: readonly string[];
  readonly notices: readonly Notice[];
  /** Their watermark afterwards, unless the service was asked on an earlier day. */
  readonly today: CivilDate;
  /** When the service was asked: an answer that is reused is of its own day. */
  readonly askedAtMs: number;
  /** First day that was asked for: a watermark does not pass over days before it that were never read. */
  readonly from?: CivilDate;
  /**
   * The service had more than it gave. The watermark moves to the day up to which it gave all; where that is not known it stays,
   * and one of a registration that was never read begins at the service's reach.
   */
  readonly cut?: { readonly wholeUntil: CivilDate | null; readonly reach: CivilDate };
  readonly nowMs: number;
  /** An attempt before this one may have stored the page: what came since then is new, too. */
  readonly firstTriedAtMs?: number;
}

export interface SavedNotices {
  readonly seen: number;
  /** Not known before; those of an earlier attempt included. */
  readonly added: number;
  /** Earliest watermark of these registrations now. */
  readonly readUntil: CivilDate;
}

export interface Watermark {
  readonly oab: string;
  readonly readUntil: CivilDate;
}

/** By what a sync was planned. */
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
   * By what this start was planned first; now, where this is the first time. With `once` it is kept without expiry, as its
   * ledger rows are; of a run as long as records.
   */
  keepFirst(sync: {
    readonly account: string;
    /** Whose plan it is: of all starts with a `once`, or of a first run and those that a reset makes. */
    readonly start: StartKey;
    readonly now: PlannedBy;
  }): Promise<PlannedBy>;
  /** What {@link Notices.keepFirst} has kept; writes nothing. */
  peekFirst(sync: { readonly account: string; readonly start: StartKey }): Promise<PlannedBy | undefined>;
  /** Today in São Paulo. */
  today(nowMs: number): Promise<CivilDate>;
  /**
   * Publications of these registrations whose full text is not there yet, newest first; also of notices that name none of those
   * for whom they were asked, where all of these are among them.
   */
  withoutText(account: string, oabs: readonly string[], limit: number): Promise<readonly string[]>;
  /** Returns how many notices it was written to. `ifMissing`: those that have a text keep it. */
  saveText(text: {
    readonly account: string;
    readonly publicationId: string;
    readonly data: unknown;
    readonly ifMissing?: boolean;
    readonly nowMs: number;
  }): Promise<number>;
}
