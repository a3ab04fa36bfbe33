/** The catalogue of payment orders (precatórios), in its two modes. */
import { BUDGET_YEARS, define, inQuery } from './define.js';

export const PRECATORIO_OPERATIONS = [
  define('listPrecatorios', {
    path: '/v1/precatorios',
    parameters: [...BUDGET_YEARS, { ...inQuery('ordenar', 'text'), values: ['analise_desc'] }],
    filters: [
      { name: 'cnj', kind: 'cnj' },
      { name: 'court', kind: 'text' },
      { name: 'state', kind: 'oab state' },
      { name: 'party', kind: 'text' },
      { name: 'kind', kind: 'text' },
      { name: 'debtorEntity', kind: 'text' },
      { name: 'minValue', kind: 'amount' },
      { name: 'maxValue', kind: 'amount' },
      { name: 'situation', kind: 'text' },
      { name: 'risk', kind: 'text' },
      { name: 'completeness', kind: 'text' },
      { name: 'from', kind: 'civil date' },
      { name: 'to', kind: 'civil date' },
      { name: 'page', kind: 'positive integer' },
      { name: 'limit', kind: 'positive integer' },
    ],
    paging: 'page',
    more: 'rules 5–6; Precatório catalogue metadata',
  }),
];
