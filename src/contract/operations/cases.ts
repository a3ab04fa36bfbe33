/** Cases: list by CPF/CNPJ, cover, movements, refresh, public documents, AI summary. */
import { CNJ, define, inQuery, LIMIT, PAGE } from './define.js';

const CASE = '/v1/processos/cnj/{cnj}';

export const CASE_OPERATIONS = [
  define('listCasesByDocument', {
    path: '/v1/processos',
    parameters: [{ ...inQuery('cpf_cnpj', 'cpf or cnpj'), required: true }],
    // No page parameter is shown; the observed answer has pages, so configuration may name one.
    filters: [
      { name: 'page', kind: 'positive integer' },
      { name: 'limit', kind: 'positive integer' },
    ],
    paging: 'page',
  }),
  define('getCase', { path: CASE, parameters: [CNJ] }),
  define('listMovements', {
    path: `${CASE}/movimentacoes`,
    parameters: [CNJ, PAGE, LIMIT, inQuery('cursor', 'text'), inQuery('li', 'text')],
    paging: 'page and limit, or cursor and li',
  }),
  define('requestRefresh', {
    method: 'POST',
    path: `${CASE}/solicitar-atualizacao`,
    parameters: [CNJ],
    flags: ['documents', 'callback'],
    announcedByWebhook: true,
    evidence: 'refresh status',
    evidenceFrom: 'getRefreshStatus',
    more: 'rule 14',
  }),
  define('getRefreshStatus', {
    path: `${CASE}/status-atualizacao`,
    parameters: [CNJ],
    charge: 'presumed free',
  }),
  define('listPublicDocuments', {
    path: `${CASE}/documentos-publicos`,
    parameters: [CNJ, PAGE, LIMIT],
    paging: 'page and limit',
    more: 'rule 14',
  }),
  define('requestSummary', {
    method: 'POST',
    path: `${CASE}/resumo-ia/solicitar-atualizacao`,
    parameters: [CNJ],
    flags: ['callback'],
    announcedByWebhook: true,
    evidence: 'request id',
    more: 'States and transitions, "AI summary"',
  }),
  /** The interface speaks of reading the summary and shows no path ("Endpoint gaps"). */
  define('getSummary', {
    path: `${CASE}/resumo-ia`,
    pathGap: 'summaryPath',
    parameters: [CNJ],
    more: 'path not shown (Endpoint gaps)',
  }),
];
