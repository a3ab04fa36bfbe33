/** Cases: list by CPF/CNPJ, cover, movements, refresh, public documents, AI summary. */
import { CNJ, define, LIMIT, PAGE } from './define.js';

const CASE = '/v1/processos/cnj/{cnj}';

export const CASE_OPERATIONS = {
  byDocument: define('listCasesByDocument', {
    method: 'GET',
    path: '/v1/processos',
    parameters: [{ name: 'cpf_cnpj', in: 'query', kind: 'cpf or cnpj', required: true }],
    // No page parameter is shown; the observed answer has pages, so configuration may name one.
    filters: [
      { name: 'page', kind: 'positive integer' },
      { name: 'limit', kind: 'positive integer' },
    ],
    paging: 'page',
  }),
  cover: define('getCase', { method: 'GET', path: CASE, parameters: [CNJ] }),
  movements: define('listMovements', {
    method: 'GET',
    path: `${CASE}/movimentacoes`,
    parameters: [
      CNJ,
      PAGE,
      LIMIT,
      { name: 'cursor', in: 'query', kind: 'text', required: false },
      { name: 'li', in: 'query', kind: 'text', required: false },
    ],
    paging: 'page and limit, or cursor and li',
  }),
  refresh: define('requestRefresh', {
    method: 'POST',
    path: `${CASE}/solicitar-atualizacao`,
    parameters: [CNJ],
    flags: ['documents', 'callback'],
    announcedByWebhook: true,
    evidence: 'refresh status',
    evidenceFrom: 'getRefreshStatus',
    more: 'rule 14',
  }),
  refreshStatus: define('getRefreshStatus', {
    method: 'GET',
    path: `${CASE}/status-atualizacao`,
    parameters: [CNJ],
    charge: 'presumed free',
  }),
  documents: define('listPublicDocuments', {
    method: 'GET',
    path: `${CASE}/documentos-publicos`,
    parameters: [CNJ, PAGE, LIMIT],
    paging: 'page and limit',
    more: 'rule 14',
  }),
  requestSummary: define('requestSummary', {
    method: 'POST',
    path: `${CASE}/resumo-ia/solicitar-atualizacao`,
    parameters: [CNJ],
    flags: ['callback'],
    announcedByWebhook: true,
    evidence: 'request id',
    more: 'States and transitions, "AI summary"',
  }),
  /** The interface speaks of reading the summary and shows no path ("Endpoint gaps"). */
  summary: define('getSummary', {
    method: 'GET',
    path: `${CASE}/resumo-ia`,
    pathGap: 'summaryPath',
    parameters: [CNJ],
    more: 'path not shown (Endpoint gaps)',
  }),
};
