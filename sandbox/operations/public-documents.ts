/**
 * GET documentos-publicos: one page of documents with signed links; every page is a charged call. Listed only after a
 * refresh with the documents flag has ended well (interface-v1 rule 14). Paging members as observed (domain.md 7.2).
 */
import { formatCnj } from '../../src/contract/index.js';
import { envelope, jsonAnswer, refuse } from '../answer.js';
import { documentsOf, type CaseDocument } from '../cases/documents.js';
import { buildLinkPath } from '../cases/signed-link.js';
import { traitsOf } from '../cases/traits.js';
import type { OperationHandler, View } from './types.js';

/** Defaults and maxima of `limit` are not shown by the interface. */
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

export const listPublicDocuments: OperationHandler = (call, view) => {
  const cnj = call.params['cnj'] ?? '';
  if (!traitsOf(view.settings.seed, cnj).exists) {
    return { kind: 'refused', answer: refuse(404, 'CASE_NOT_FOUND', 'The case is not known.') };
  }
  const ready = view
    .refreshesOf(cnj)
    .some((refresh) => refresh.flags.documents && refresh.ending === 'SUCESSO' && view.isFinished(refresh));
  if (!ready) {
    const message = 'Request a refresh with public documents and wait until it is finished.';
    return { kind: 'refused', answer: refuse(422, 'DOCUMENTS_NOT_REFRESHED', message) };
  }
  const page = Number(call.params['page'] ?? '1');
  const limit = Math.min(Number(call.params['limit'] ?? DEFAULT_LIMIT), MAX_LIMIT);
  return {
    kind: 'charged',
    price: view.settings.prices.listPublicDocuments,
    cnj,
    answer: (paid) => jsonAnswer(200, envelope(buildPage({ cnj, page, limit }, view), paid, view.nowMs)),
  };
};

function buildPage(at: { cnj: string; page: number; limit: number }, view: View): unknown {
  const { cnj, page, limit } = at;
  const all = documentsOf(view.settings.seed, cnj);
  const lastPage = Math.max(1, Math.ceil(all.length / limit));
  const next = `${view.apiUrl}/v1/processos/cnj/${formatCnj(cnj)}/documentos-publicos?page=${page + 1}&limit=${limit}`;
  return {
    numeroCnj: formatCnj(cnj),
    documentos: all.slice((page - 1) * limit, page * limit).map((document) => buildItem(cnj, document, view)),
    total: all.length,
    pagination: { current_page: page, per_page: limit, last_page: lastPage, total: all.length },
    links: { next: page < lastPage ? { href: next } : null },
  };
}

function buildItem(cnj: string, document: CaseDocument, view: View): unknown {
  const path = buildLinkPath(
    view.settings.seed,
    { cnj, number: document.number },
    view.nowMs + view.settings.linkTtlMs,
  );
  return {
    id: document.id,
    titulo: document.title,
    descricao: document.kind,
    data: document.date,
    tipo: 'PUBLICO',
    extensaoArquivo: 'PDF',
    quantidadePaginas: document.pages,
    downloadUrl: view.documentsUrl + path,
  };
}
