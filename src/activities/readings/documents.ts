/** One page of a case's public documents, without their links. Pure. */
import { present, readPublicDocuments, type PublicDocument, type PublicDocumentPage } from '../../contract/index.js';
import type { DocumentsReading } from '../../protocol/index.js';
import type { ReadableAnswer } from './types.js';

/** A page is cut to this many in a reading (200 KB at the longest titles); the answer itself is stored whole. */
const MAX_DOCUMENTS = 400;

export function readDocumentsPage({ body, params }: ReadableAnswer): DocumentsReading | undefined {
  const list = readPublicDocuments(body, Number(params['page'] ?? 1));
  if (list === undefined) return undefined;
  return {
    documents: withoutUrls(list).slice(0, MAX_DOCUMENTS),
    count: list.documents.length,
    cut: list.documents.length > MAX_DOCUMENTS,
    total: list.total ?? null,
    hasMore: list.hasMore,
    ...present({ unsaid: list.unsaid ? true : undefined }),
  };
}

export function withoutUrls({
  documents,
}: PublicDocumentPage): readonly Omit<PublicDocument, 'downloadUrl' | 'extension'>[] {
  return documents.map(({ downloadUrl: _link, extension: _unsaid, ...document }) => document);
}
