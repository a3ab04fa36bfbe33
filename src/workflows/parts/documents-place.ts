/** Where a flow has come to with the documents of a case: pages that are listed, files that are there, what the result will hold. Pure. */
import { present } from '../../contract/values/index.js';
import type { DocumentResult, DocumentsReading, DownloadResult } from '../../protocol/index.js';
import { NOTHING_KEPT, isKept, keep, type Kept } from '../flow/fit-result.js';
import { either, isFlag, isNull, isNumber, isText, listOf, optional, shapeOf } from '../flow/shape.js';

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

export function withFiles(
  place: DocumentsPlace,
  { documents, cut }: Pick<DownloadResult, 'documents' | 'cut'>,
): DocumentsPlace {
  const { files } = place;
  const kept = keep(place.documents, documents);
  const firstError = files.firstError ?? documents.find(({ error }) => error !== undefined)?.error;
  return {
    ...place,
    downloaded: place.downloaded + 1,
    documents: cut === undefined ? kept : { ...kept, dropped: true },
    files: {
      tried: files.tried + (cut?.tried ?? documents.length),
      came: files.came || (cut?.came ?? documents.some(({ error }) => error === undefined)),
      ...present({ firstError }),
    },
  };
}

export function countOf({ pages }: DocumentsPlace): number {
  return pages.reduce((sum, { facts }) => sum + facts.count, 0);
}

const isListedPage = shapeOf<ListedPage>({
  page: isNumber,
  intentId: isText,
  facts: shapeOf<ListedPage['facts']>({
    ...{ count: isNumber, cut: isFlag, hasMore: isFlag },
    total: either(isNumber, isNull),
    unsaid: optional(isFlag),
  }),
});

export const isDocumentsPlace = shapeOf<DocumentsPlace>({
  pages: listOf(isListedPage),
  ids: listOf(isText),
  hasMore: optional(isFlag),
  downloaded: isNumber,
  documents: isKept(shapeOf<Pick<DocumentResult, 'id'>>({ id: isText })),
  files: shapeOf<DocumentsPlace['files']>({ tried: isNumber, came: isFlag, firstError: optional(isText) }),
});
