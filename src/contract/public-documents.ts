/**
 * The list of public documents as flows need it: ids, titles, links, and whether there is more. Reads through the document
 * records, so an item is never dropped because one field is odd; without an id it gets one from its place.
 */
import { present } from './values/present.js';
import { readPage } from './page.js';
import { readDocuments } from './records/documents.js';

/** One public document of a case. */
export interface PublicDocument {
  readonly id: string;
  readonly title?: string;
  readonly type?: string;
  /** As the service writes it: `PDF`. */
  readonly extension?: string;
  /** Signed link. Never leaves the activity that reads it. */
  readonly downloadUrl?: string;
}

/** One page of a case's public documents. */
export interface PublicDocumentPage {
  readonly documents: readonly PublicDocument[];
  /** What the service says there is in all, where it says so. */
  readonly total?: number;
  /** False only where the service shows that this page is the last one. */
  readonly hasMore: boolean;
  /** More is neither told nor ruled out: the page says nothing of further ones. */
  readonly unsaid: boolean;
}

/** Reads page `page` of the list. `undefined` when the body holds no list at all: that is not the promised answer. */
export function readPublicDocuments(body: unknown, page: number): PublicDocumentPage | undefined {
  const list = readDocuments(body);
  if (list === undefined) return undefined;
  // Where the next page is does not matter here, pages are asked for by number: any link is a sign of more.
  const { next, total } = readPage(body, { target: '', baseUrl: '', page, listed: list.records.length });
  const some = list.records.length > 0;
  return {
    documents: list.records.map(({ id, title, kind, extension, downloadUrl }, index) => ({
      id: (id ?? `${page}-${index + 1}`).slice(0, 200),
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
