/** How far a flow got with the documents of a case: listed pages, downloaded files, and what the result will hold. Pure. */
import { present } from '../../contract/values/index.js';
import type { DocumentResult, DocumentsReading, DownloadResult } from '../../protocol/index.js';
import { NOTHING_KEPT, isKept, keep, type Kept } from '../flow/fit-result.js';
import { either, isFlag, isNull, isNumber, isText, listOf, optional, shapeOf } from '../flow/shape.js';

/** One listed page; its documents are in the ledger, under the row `intentId`. */
export interface ListedPage {
  readonly page: number;
  readonly intentId: string;
  /** `unsaid` is absent if the service says whether more pages follow, and in readings of older workers. */
  readonly facts: Pick<DocumentsReading, 'count' | 'cut' | 'total' | 'hasMore' | 'unsaid'> & {
    /** How many of its documents also came on earlier pages; absent if none did. */
    readonly repeats?: number;
  };
}

export interface DocumentsPlace {
  readonly pages: readonly ListedPage[];
  /** Listed ids; of very many only the first and the newest, which is enough to recognise a page that comes again. */
  readonly ids: readonly string[];
  /** Undefined while pages are being listed. */
  readonly hasMore?: boolean;
  /** How many pages have been downloaded. */
  readonly downloaded: number;
  readonly documents: Kept<DocumentResult>;
  /** How many files were tried, whether any came, and the first error. */
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

/** `documents`: those that no earlier page had. */
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

/** Keeps each document once. The link on one page may work and that on another fail, so a file that came replaces an error. */
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
