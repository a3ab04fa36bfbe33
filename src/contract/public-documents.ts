/**
 * The list of public documents (interface-v1 "Other named fields": only `downloadUrl` is named; item shape as observed,
 * domain.md 7.2). Lenient: an item is never dropped because one field is odd; without an id it gets one from its place.
 */
import { readRecord } from './envelope.js';
import { firstAt, isJsonObject, textOf } from './json.js';

export interface PublicDocument {
  readonly id: string;
  readonly title?: string;
  readonly type?: string;
  /** Signed link. Never leaves the activity that reads it. */
  readonly downloadUrl?: string;
}

export interface PublicDocumentPage {
  readonly documents: readonly PublicDocument[];
  /** What the service says there is in all, where it says so. */
  readonly total?: number;
  readonly hasMore: boolean;
}

const LIST_FIELDS = ['documentos', 'items', 'documents', 'documentosPublicos', 'documentos_publicos'];
const TOTAL_FIELDS = ['total', 'totalDisponivel', 'pagination.total', 'paginator.total', 'meta.total'];
const LAST_PAGE_FIELDS = [
  'pagination.totalPages',
  'pagination.last_page',
  'pagination.lastPage',
  'totalPages',
  'paginator.last_page',
];
const PAGE_SIZE_FIELDS = ['pagination.per_page', 'pagination.perPage', 'pagination.limit', 'limit'];

/** Reads page `page` of the list. `undefined` when the body holds no list at all: that is not the promised answer. */
export function readPublicDocuments(body: unknown, page: number): PublicDocumentPage | undefined {
  const data = isJsonObject(body) && Array.isArray(body['data']) ? body['data'] : undefined;
  const record = readRecord(body) ?? {};
  const items = data ?? firstAt(record, LIST_FIELDS, (found) => (Array.isArray(found) ? found : undefined));
  if (items === undefined) return undefined;
  const outer = isJsonObject(body) ? body : {};
  const total = firstAt(record, TOTAL_FIELDS, countOf) ?? firstAt(outer, TOTAL_FIELDS, countOf);
  return {
    documents: items.map((item, index) => readDocument(item, `${page}-${index + 1}`)),
    ...(total === undefined ? {} : { total }),
    hasMore: hasMore({ record, outer, page, listed: items.length, total }),
  };
}

function hasMore(facts: {
  record: unknown;
  outer: unknown;
  page: number;
  listed: number;
  total: number | undefined;
}): boolean {
  if (facts.listed === 0) return false;
  for (const source of [facts.record, facts.outer]) {
    const next = firstAt(source, ['links.next.href', 'links.next'], textOf);
    if (next !== undefined) return true;
    const lastPage = firstAt(source, LAST_PAGE_FIELDS, countOf);
    if (lastPage !== undefined) return facts.page < lastPage;
    const pageSize = firstAt(source, PAGE_SIZE_FIELDS, countOf);
    if (facts.total !== undefined && pageSize !== undefined && pageSize > 0) return facts.page * pageSize < facts.total;
  }
  return facts.total !== undefined && facts.page === 1 && facts.listed < facts.total;
}

function readDocument(item: unknown, placeId: string): PublicDocument {
  const title = firstAt(item, ['titulo', 'title', 'nome', 'name'], textOf);
  const type = firstAt(item, ['tipo', 'type', 'extensaoArquivo'], textOf);
  const downloadUrl = firstAt(item, ['downloadUrl', 'download_url', 'url'], textOf);
  return {
    id: (firstAt(item, ['id', 'documentoId', 'uuid', 'key'], textOf) ?? placeId).slice(0, 200),
    ...(title === undefined ? {} : { title: title.slice(0, 300) }),
    ...(type === undefined ? {} : { type: type.slice(0, 100) }),
    ...(downloadUrl === undefined ? {} : { downloadUrl }),
  };
}

function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
