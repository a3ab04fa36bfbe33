/**
 * The list of public documents as flows need it: ids, titles, links, and whether there is more. Reads through the document
 * records, so an item is never dropped because one field is odd; without an id it gets one from its place.
 */
import { present } from './values/present.js';
import { readPage } from './page.js';
import { readDocuments } from './records/documents.js';

/** One public document of a case. */
export interface PublicDocument {
  /** Id of the document within its case. */
  readonly id: string;
  /** As the service writes it. */
  readonly title?: string;
  /** Kind of document, as the service writes it. */
  readonly type?: string;
  /** As the service writes it: `PDF`. */
  readonly extension?: string;
  /** Signed link. Never leaves the activity that reads it. */
  readonly downloadUrl?: string;
}

/** One page of a case's public documents. */
export interface PublicDocumentPage {
  /** In the order of the answer. */
  readonly documents: readonly PublicDocument[];
  /** Documents in all, where the service says so. */
  readonly total?: number;
  /** False only when the answer shows that this page is the last one. */
  readonly hasMore: boolean;
  /** True when the answer says nothing about further pages. */
  readonly unsaid: boolean;
}

/** Reads page `page` of the list. `undefined` when the body holds no list at all: that is not the expected answer. */
export function readPublicDocuments(body: unknown, page: number): PublicDocumentPage | undefined {
  const list = readDocuments(body);
  if (list === undefined) return undefined;
  // Pages are asked for by number, so a link is not followed: it only shows that there are more.
  const { next, total } = readPage(body, { target: '', baseUrl: '', page, listed: list.records.length });
  const some = list.records.length > 0;
  const ids = distinctIds(list.records.map(({ id }, index) => shortId(id ?? '') || `${page}-${index + 1}`));
  return {
    documents: list.records.map(({ title, kind, extension, downloadUrl }, index) => ({
      id: ids[index] ?? '',
      ...present({
        title: title?.slice(0, 300),
        type: (kind ?? extension)?.slice(0, 100),
        extension: extension ?? undefined,
        downloadUrl: downloadUrl ?? undefined,
      }),
    })),
    ...present({ total }),
    hasMore: some && next.kind !== 'end',
    unsaid: some && next.kind === 'unsaid',
  };
}

const MAX_ID = 200;

/** Removes characters that a database cannot store. A long id keeps both ends, because tokens begin alike. */
function shortId(id: string): string {
  const plain = id.replace(/\p{C}/gu, '');
  return plain.length <= MAX_ID ? plain : `${plain.slice(0, MAX_ID / 2)}…${plain.slice(1 - MAX_ID / 2)}`;
}

/** Files are stored under the ids of documents, so a repeated id gets a number. */
function distinctIds(ids: readonly string[]): readonly string[] {
  const used = new Set<string>();
  const last = new Map<string, number>();
  return ids.map((id) => {
    let distinct = id;
    for (let nth = last.get(id) ?? 1; used.has(distinct);) {
      nth += 1;
      last.set(id, nth);
      distinct = `${id.slice(0, MAX_ID - 10)}~${nth}`;
    }
    used.add(distinct);
    return distinct;
  });
}
