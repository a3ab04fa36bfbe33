/** The electoral courts: gazette (DJe Eleitoral) and bulletin board (Mural). */
import { define, ID } from './define.js';

export const ELECTORAL_OPERATIONS = [
  define('getElectoralPublication', {
    path: '/v1/dje-eleitoral/publicacoes/{id}',
    parameters: [ID],
    price: '0.05',
    more: 'Limits',
  }),
  define('getElectoralEditionPdf', {
    path: '/v1/dje-eleitoral/edicoes/{id}/pdf',
    parameters: [ID],
    price: '0.08',
    answer: 'pdf',
    more: 'Limits',
  }),
  define('searchElectoralBoard', {
    path: '/v1/mural-eleitoral/publicacoes',
    filters: [
      { name: 'from', kind: 'civil date' },
      { name: 'to', kind: 'civil date' },
      { name: 'courts', kind: 'text list' },
      { name: 'party', kind: 'text' },
      { name: 'lawyer', kind: 'text' },
      { name: 'unit', kind: 'text' },
      { name: 'document', kind: 'text' },
      { name: 'locality', kind: 'text' },
      { name: 'process', kind: 'text' },
      { name: 'page', kind: 'positive integer' },
      { name: 'limit', kind: 'positive integer' },
    ],
    price: '0.15',
    paging: 'page',
    more: 'rule 10; Limits',
  }),
];
