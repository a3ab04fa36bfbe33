/** Term search and its deprecated predecessor. */
import type { OperationParameter } from '../operation.js';
import { BUDGET_YEARS, define } from './define.js';

const TERM: readonly OperationParameter[] = [
  { name: 'q', in: 'query', kind: 'text', required: true },
  { name: 'qo', in: 'query', kind: 'choice', required: false, values: ['t', 'd'] },
];

export const SEARCH_OPERATIONS = {
  term: define('searchTerm', {
    method: 'GET',
    path: '/v1/busca/termo',
    parameters: [
      ...TERM,
      { name: 'ano_publicacao', in: 'query', kind: 'year', required: false },
      { name: 'data_publicacao_inicio', in: 'query', kind: 'civil date', required: false },
      { name: 'data_publicacao_fim', in: 'query', kind: 'civil date', required: false },
      { name: 'tribunal', in: 'query', kind: 'text', required: false },
      ...BUDGET_YEARS,
      { name: 'page', in: 'query', kind: 'positive integer', required: false, gap: 'termPageParam' },
    ],
    filters: [
      { name: 'debtorEntity', kind: 'text' },
      { name: 'issuingState', kind: 'oab state' },
      { name: 'minValue', kind: 'amount' },
      { name: 'maxValue', kind: 'amount' },
    ],
    paging: 'page',
    more: 'rules 1–4',
  }),
  legacy: define('searchLegacy', {
    method: 'GET',
    path: '/v1/busca',
    parameters: TERM,
    answer: 'legacy',
    deprecated: true,
    more: 'rule 11; Limits',
  }),
};
