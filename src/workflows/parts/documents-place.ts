/** Where a flow has come to with the documents of a case: pages that are listed, files that are there, what the result will hold. Pure. */
import { present } from '../../contract/values/index.js';
import type { DocumentResult, DocumentsReading, DownloadResult } from '../../protocol/index.js';
import { NOTHING_KEPT, isKept, keep, type Kept } from '../flow/fit-result.js';
import { either, isFlag, isNull, isNumber, isText, listOf, optional, shapeOf } from '../flow/shape.js';

/** One page of the list; what it lists is in the ledger under its row. */
export interface ListedPage {
  readonly page: number;
  readonly intentId: string;
  /** `unsaid` is absent where the service says it, and from answers that were read before it was looked at. */
  readonly facts: Pick<DocumentsReading, 'count' | 'cut' | 'total' | 'hasMore' | 'unsaid'> & {
    /** So many of its documents came on pages before; absent where none did. */
    readonly repeats?: number;
  };
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
  pages: [],
  ids: [],
  downloaded: 0,
  documents: NOTHING_KEPT,
  files: { tried: 0, came: false },
};

const MAX_IDS = 5_000;

/** `documents`: those that are new with this page. */
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
  const { repeats = 0 } = place.pages[place.downloaded]?.facts ?? {};
  const kept = repeats === 0 ? keep(place.documents, documents) : keepOnce(place.documents, documents);
  const firstError = files.firstError ?? documents.find(({ error }) => error !== undefined)?.error;
  return {
    ...place,
    downloaded: place.downloaded + 1,
    documents: cut === undefined ? kept : { ...kept, dropped: true },
    files: {
      tried: files.tried + (cut?.tried ?? documents.length) - repeats,
      came: files.came || (cut?.came ?? documents.some(({ error }) => error === undefined)),
      ...present({ firstError }),
    },
  };
}

/** A file may come by its link on one page and not by that on another. */
function keepOnce(kept: Kept<DocumentResult>, more: readonly DocumentResult[]): Kept<DocumentResult> {
  const came = new Map(more.flatMap((document) => (document.error === undefined ? [[document.id, document]] : [])));
  const items = kept.items.map((document) =>
    document.error === undefined ? document : (came.get(document.id) ?? document),
  );
  const seen = new Set(items.map(({ id }) => id));
  return keep(
    { ...kept, items },
    more.filter(({ id }) => !seen.has(id)),
  );
}

export function countOf({ pages }: DocumentsPlace): number {
  return pages.reduce((sum, { facts: { count, repeats = 0 } }) => sum + count - repeats, 0);
}

const isListedPage = shapeOf<ListedPage>({
  page: isNumber,
  intentId: isText,
  facts: shapeOf<ListedPage['facts']>({
    count: isNumber,
    cut: isFlag,
    hasMore: isFlag,
    total: either(isNumber, isNull),
    unsaid: optional(isFlag),
    repeats: optional(isNumber),
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
