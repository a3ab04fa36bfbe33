/** One page of a case's public documents, without their links. Pure. */
import { readPublicDocuments, type Json } from '../../contract/index.js';
import type { DocumentsReading } from '../../protocol/index.js';
import type { ReadableAnswer } from './types.js';

/** A page is cut to this many in a reading (200 KB at the longest titles); the answer itself is stored whole. */
const MAX_DOCUMENTS = 400;

export function readDocumentsPage({ body, params }: ReadableAnswer): Json | undefined {
  const list = readPublicDocuments(body, Number(params['page'] ?? 1));
  if (list === undefined) return undefined;
  const reading: DocumentsReading = {
    documents: list.documents.slice(0, MAX_DOCUMENTS).map(({ downloadUrl: _link, ...document }) => document),
    count: list.documents.length,
    cut: list.documents.length > MAX_DOCUMENTS,
    total: list.total ?? null,
    hasMore: list.hasMore,
    ...(list.unsaid ? { unsaid: true } : {}),
  };
  return reading as unknown as Json;
}
