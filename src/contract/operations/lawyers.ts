/** What is known of a lawyer by bar registration: cases and official gazettes. */
import { define, LIMIT, OAB_NUMBER, OAB_STATE, PAGE } from './define.js';

export const LAWYER_OPERATIONS = [
  define('listLawyerCases', {
    path: '/v1/advogados/processos',
    parameters: [OAB_NUMBER, OAB_STATE, PAGE, LIMIT],
    flags: ['callback'],
    charge: 'first page',
    announcedByWebhook: true,
    paging: 'page and limit',
    more: 'rules 7–9; Limits',
  }),
  define('listLawyerGazettes', {
    path: '/v1/advogados/diarios-oficiais',
    parameters: [OAB_NUMBER, OAB_STATE, PAGE],
    paging: 'page',
  }),
];
