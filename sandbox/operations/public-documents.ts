/**
 * GET documentos-publicos: one page of documents with signed links; every page is a charged call. Listed only after a
 * refresh with the documents flag has ended well (interface, rule 14). Paging members as observed.
 */
import { z } from 'zod';
import { formatCnj } from '../../src/contract/index.js';
import { documentsOf, type CaseDocument } from '../cases/documents.js';
import { buildLinkPath } from '../cases/signed-link.js';
import { pageMembers, paging, placesOn, reading, type PageFacts } from './reading.js';
import { spell } from './spelling.js';
import type { View } from './types.js';
import { answered, refused, refusedCase } from './verdicts.js';

const schema = z.looseObject(paging({ limit: 20, max: 100 }));

export const listPublicDocuments = reading(schema, {}, ({ page, limit }, view) => {
  const cnj = view.call.params['cnj'] ?? '';
  if (!view.traits(cnj).exists) return refusedCase();
  const ready = view
    .worksOf(cnj, 'requestRefresh')
    .some((work) => work.flags.documents && work.ending === 'SUCESSO' && view.isFinished(work));
  if (!ready) {
    const message = 'Request a refresh with public documents and wait until it is finished.';
    return refused(422, 'DOCUMENTS_NOT_REFRESHED', message);
  }
  return answered(buildPage({ page, limit, total: view.traits(cnj).documents }, view), view);
});

function buildPage(facts: PageFacts, view: View): unknown {
  const cnj = view.call.params['cnj'] ?? '';
  const all = documentsOf(view.settings.seed, cnj, view.traits(cnj));
  const { dialect } = view.settings;
  const places = placesOn(dialect.documentPages === 'ignored' ? { ...facts, page: 1 } : facts);
  const documents = places
    .flatMap((place) => all[place] ?? [])
    .map((document) => spell(buildItem(cnj, document, view), dialect));
  const list = { numeroCnj: formatCnj(cnj), documentos: documents };
  switch (dialect.documentPages) {
    case 'stated':
      return { ...list, ...pageMembers(facts, view) };
    case 'counted':
      return { ...list, total: facts.total };
    case 'unsaid':
    case 'ignored':
      return documents;
  }
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
    downloadUrl: (view.settings.dialect.documentLinks === 'signed' ? view.documentsUrl : view.apiUrl) + path,
  };
}
