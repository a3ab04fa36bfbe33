/** Where a flow has come to with the documents of a case: pages that are listed, files that are there, what the result will hold. Pure. */
import { present } from '../../contract/values/index.js';
import { isJsonObject } from '../../contract/json.js';
import type { DocumentResult, DocumentsReading } from '../../protocol/index.js';
import { NOTHING_KEPT, keep, readKept, type Kept } from '../flow/fit-result.js';

/** One page of the list; what it lists is in the ledger under its row. */
export interface ListedPage {
  readonly page: number;
  readonly intentId: string;
  /** `unsaid` is absent where the service tells, and from answers that were read before it was looked at. */
  readonly facts: Pick<DocumentsReading, 'count' | 'cut' | 'total' | 'hasMore' | 'unsaid'>;
}

export interface DocumentsPlace {
  readonly pages: readonly ListedPage[];
  /** Ids that were listed, of very many the first and the newest: enough to see a page again. */
  readonly ids: readonly string[];
  /** Undefined while pages are being listed. */
  readonly hasMore?: boolean;
  /** So many pages have their files. */
  readonly downloaded: number;
  readonly documents: Kept<DocumentResult>;
  /** Files that were tried, whether one came, and why the first did not. */
  readonly files: { readonly tried: number; readonly came: boolean; readonly firstError?: string };
}

export const NOTHING_LISTED: DocumentsPlace = {
  ...{ pages: [], ids: [], downloaded: 0, documents: NOTHING_KEPT, files: { tried: 0, came: false } },
};

const MAX_IDS = 5_000;

export function withPage(
  place: DocumentsPlace,
  listed: ListedPage,
  documents: DocumentsReading['documents'],
): DocumentsPlace {
  const ids = [...place.ids, ...documents.map(({ id }) => id)];
  return {
    ...place,
    pages: [...place.pages, listed],
    ids: ids.length > MAX_IDS ? [...ids.slice(0, MAX_IDS / 2), ...ids.slice(-MAX_IDS / 2)] : ids,
  };
}

export function withFiles(place: DocumentsPlace, documents: readonly DocumentResult[]): DocumentsPlace {
  const { files } = place;
  const firstError = files.firstError ?? documents.find(({ error }) => error !== undefined)?.error;
  return {
    ...place,
    downloaded: place.downloaded + 1,
    documents: keep(place.documents, documents),
    files: {
      tried: files.tried + documents.length,
      came: files.came || documents.some(({ error }) => error === undefined),
      ...present({ firstError }),
    },
  };
}

export function countOf({ pages }: DocumentsPlace): number {
  return pages.reduce((sum, { facts }) => sum + facts.count, 0);
}

/** Undefined where `value` is not what a run hands on. */
export function readDocumentsPlace(value: unknown): DocumentsPlace | undefined {
  if (!isJsonObject(value) || !isJsonObject(value['files'])) return undefined;
  const { pages, ids, hasMore, downloaded } = value;
  const { tried, came, firstError } = value['files'];
  const documents = readKept(value['documents'], isDocument);
  if (!Array.isArray(pages) || !pages.every(isListedPage) || documents === undefined) return undefined;
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string')) return undefined;
  if (typeof downloaded !== 'number' || typeof tried !== 'number' || typeof came !== 'boolean') return undefined;
  return {
    ...{ pages, ids, downloaded, documents },
    ...(typeof hasMore === 'boolean' ? { hasMore } : {}),
    files: { tried, came, ...(typeof firstError === 'string' ? { firstError } : {}) },
  };
}

function isDocument(value: unknown): value is DocumentResult {
  return isJsonObject(value) && typeof value['id'] === 'string';
}

function isListedPage(value: unknown): value is ListedPage {
  if (!isJsonObject(value) || typeof value['page'] !== 'number' || typeof value['intentId'] !== 'string') return false;
  const { facts } = value;
  if (!isJsonObject(facts) || typeof facts['count'] !== 'number' || typeof facts['cut'] !== 'boolean') return false;
  return typeof facts['hasMore'] === 'boolean' && (facts['total'] === null || typeof facts['total'] === 'number');
}
