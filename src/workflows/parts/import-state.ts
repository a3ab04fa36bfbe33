/** What an import knows beyond its input: a run of many pages hands it to the next one, and the next one checks its form. Pure. */
import { isJsonObject } from '../../contract/json.js';
import type { FlowSettings, LawyerCursor } from '../../protocol/index.js';
import { readBook, type Book } from '../flow/flow-record.js';

export interface Import {
  readonly paidChecks: number;
  /** `maxPaidChecks`, and one more for each `resume`. */
  readonly allowed: number;
  readonly restarts: number;
  readonly lastPurchaseMs: number;
  readonly provisionalSet: string;
  readonly staging?: Staging;
}

export interface Staging {
  readonly setId: string;
  readonly version: string | null;
  readonly cursor: LawyerCursor | null;
  readonly pages: number;
}

export interface CarriedImport {
  readonly state: Import;
  readonly book: Book;
}

const SET_ID = /^[0-9a-f-]{36}$/;

/** Undefined where `value` is not what a run of these settings hands on. */
export function readCarriedImport(
  value: unknown,
  { maxPaidChecks }: Pick<FlowSettings<'importLawyerCases'>, 'maxPaidChecks'>,
): CarriedImport | undefined {
  if (!isJsonObject(value)) return undefined;
  const { paidChecks, allowed, restarts, lastPurchaseMs, provisionalSet } = value;
  // Runs of older workers hand on the records alone.
  const book = readBook(value['book'] ?? { records: value['records'] });
  const staging = readStaging(value['staging']);
  if (book === undefined || staging === undefined || typeof provisionalSet !== 'string') return undefined;
  if (!isCount(paidChecks) || !isCount(allowed) || !isCount(restarts) || !isCount(lastPurchaseMs)) return undefined;
  // Page 1 was bought, and no more is allowed than the input or one person at a time has allowed.
  if (paidChecks < 1 || allowed > Math.max(maxPaidChecks, paidChecks + 1)) return undefined;
  if (!SET_ID.test(provisionalSet)) return undefined;
  return { state: { paidChecks, allowed, restarts, lastPurchaseMs, provisionalSet, staging }, book };
}

/** A run hands on only in the middle of a list: there is a set, and a page behind the first to read next. */
function readStaging(value: unknown): Staging | undefined {
  if (!isJsonObject(value)) return undefined;
  const { setId, version, pages, cursor } = value;
  if (typeof setId !== 'string' || !SET_ID.test(setId) || !isCount(pages) || !isJsonObject(cursor)) return undefined;
  const { page, target } = cursor;
  if (version !== null && typeof version !== 'string') return undefined;
  if (!isCount(page) || page < 2 || (target !== null && typeof target !== 'string')) return undefined;
  return { setId, version, pages, cursor: { page, target } };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
