/**
 * Body of an answer → the small reading that a flow gets. Pure. `undefined` means that the body is not what the operation
 * promised: paid, but unusable. Readings are small, and free of links and texts.
 */
import { readPublicDocuments, type Json, type OperationId, type Parameters } from '../contract/index.js';
import type { DocumentsReading } from '../protocol/index.js';

/** A page of documents is cut to this many in a reading (200 KB at the longest titles); the answer itself is stored whole. */
const MAX_DOCUMENTS = 400;

export function readingOf(operation: OperationId, body: unknown, params: Parameters): Json | undefined {
  switch (operation) {
    case 'listPublicDocuments':
      return documentsReading(body, Number(params['page'] ?? 1)) as unknown as Json | undefined;
    default:
      return {};
  }
}

function documentsReading(body: unknown, page: number): DocumentsReading | undefined {
  const list = readPublicDocuments(body, page);
  if (list === undefined) return undefined;
  return {
    documents: list.documents.slice(0, MAX_DOCUMENTS).map(({ downloadUrl: _link, ...document }) => document),
    count: list.documents.length,
    cut: list.documents.length > MAX_DOCUMENTS,
    total: list.total ?? null,
    hasMore: list.hasMore,
  };
}
