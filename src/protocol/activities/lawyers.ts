/** Import of a lawyer's cases: first page, free pages, commit. Types only. */
import type { Parameters } from '../../contract/route.js';
import type { ImportLawyerCasesResult } from '../flows/import-lawyer-cases.js';
import type { UnexpectedRead } from '../outcome.js';
import type { FlowCosts } from '../results.js';

/** Where the next free page of a lawyer's list is: the link of the page before, or its number. */
export interface LawyerCursor {
  readonly page: number;
  /** Request target of the link, byte for byte; null: by number. */
  readonly target: string | null;
}

/** Identifies a start: its `once`, or else its first run. */
export type ImportStart = string | { readonly firstRunId: string };

/** The end of an import: its result without its costs, and how many cases the service says that there are. */
export type ImportEnd = Omit<ImportLawyerCasesResult, keyof FlowCosts | 'missing'> & { readonly available?: number };

export interface SaveFirstPageInput {
  readonly account: string;
  readonly oab: string;
  readonly workflowId: string;
  readonly intentId: string;
  readonly setId: string;
  readonly complete: boolean;
  /** Absent in flows that began before this member existed, as in the other inputs. */
  readonly start?: ImportStart;
}

export interface SaveFirstPageResult {
  readonly withoutNumber: number;
  /** The ledger has lost the answer: nothing was stored. */
  readonly lost?: true;
  /** This start has ended before: nothing was stored, and the list is not read again. */
  readonly ended?: ImportEnd;
}

export interface ReadLawyerPagesInput {
  readonly account: string;
  readonly params: Parameters;
  readonly setId: string;
  /** A page with another version ends the reading. */
  readonly version: string | null;
  readonly cursor: LawyerCursor;
  /** The flow that reads. A charge for a page that should be free is booked there. */
  readonly reader: { readonly workflowId: string; readonly firstRunId: string; readonly workflowType: string };
  readonly start?: ImportStart;
}

export type ReadLawyerPagesResult =
  | { readonly kind: 'more'; readonly pages: number; readonly cursor: LawyerCursor }
  | { readonly kind: 'end'; readonly pages: number }
  | { readonly kind: 'version moved'; readonly pages: number; readonly ended?: ImportEnd }
  | { readonly kind: 'loop'; readonly pages: number; readonly page: number }
  /** The cursor does not lead to a later page of this list, or the next link is of another lawyer: not requested. */
  | { readonly kind: 'elsewhere'; readonly pages: number; readonly page: number }
  | {
      readonly kind: 'charged';
      readonly pages: number;
      readonly unexpected: UnexpectedRead;
      /** The page after the charged one, which is staged; null at the list's end; absent if that page was not readable. */
      readonly cursor?: LawyerCursor | null;
      /** Where the charged page is if it was not readable: it may be asked for again. Absent from older workers. */
      readonly at?: LawyerCursor;
      /** The list has moved or repeats itself there, or its next link cannot be followed: to ask again would only pay again. */
      readonly isStuck?: true;
    }
  | { readonly kind: 'refused'; readonly pages: number; readonly status: number };

/**
 * How many cases became visible. `lost`: nothing became visible, because staged pages are missing, or, with `readAgain`, because
 * of {@link CommitImportInput.doubts}. (To a workflow that does not know `readAgain` the list is lost: it asks a person.)
 */
export type CommittedImport = number | { readonly lost: true; readonly readAgain?: true; readonly ended?: ImportEnd };

export interface CommitImportInput {
  readonly account: string;
  readonly oab: string;
  readonly setId: string;
  readonly version: string | null;
  /** How many pages were read; absent in flows that began before this member existed. */
  readonly pages?: number;
  /** What may be wrong with the list, so that it is read again; absent: it is committed as it was read. */
  readonly doubts?: {
    /** Cases on page 1: if later pages are larger, cases between them were skipped. */
    readonly firstPageItems: number;
    /** Page 1 is an earlier answer (`maxAge`): another import may have committed a newer list since. */
    readonly mayBeOld: boolean;
  };
  /** Kept for later runs of the same start, which end alike. */
  readonly end?: Pick<ImportEnd, 'restarts' | 'paidChecks' | 'available'> & { readonly start: ImportStart };
}
