/** Term search and its deprecated predecessor. */
import type { OperationParameter } from '../operation.js';
import { BUDGET_YEARS, define, inQuery } from './define.js';

const TERM: readonly OperationParameter[] = [
  { ...inQuery('q', 'text'), required: true },
  { ...inQuery('qo', 'choice'), values: ['t', 'd'] },
];

export const SEARCH_OPERATIONS = [
  define('searchTerm', {
    path: '/v1/busca/termo',
    parameters: [
      ...TERM,
      inQuery('ano_publicacao', 'year'),
      inQuery('data_publicacao_inicio', 'civil date'),
      inQuery('data_publicacao_fim', 'civil date'),
      inQuery('tribunal', 'text'),
      ...BUDGET_YEARS,
      { ...inQuery('page', 'positive integer'), gap: 'termPageParam' },
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
  define('searchLegacy', {
    path: '/v1/busca',
    parameters: TERM,
    answer: 'legacy',
    deprecated: true,
    more: 'rule 11; Limits',
  }),
];
