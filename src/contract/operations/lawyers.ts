/** What is known of a lawyer by bar registration: cases and official gazettes. */
import { define, LIMIT, OAB_NUMBER, OAB_STATE, PAGE } from './define.js';

export const LAWYER_OPERATIONS = {
  cases: define('listLawyerCases', {
    method: 'GET',
    path: '/v1/advogados/processos',
    parameters: [OAB_NUMBER, OAB_STATE, PAGE, LIMIT],
    flags: ['callback'],
    charge: 'first page',
    announcedByWebhook: true,
    paging: 'page and limit',
    more: 'rules 7–9; Limits',
  }),
  gazettes: define('listLawyerGazettes', {
    method: 'GET',
    path: '/v1/advogados/diarios-oficiais',
    parameters: [OAB_NUMBER, OAB_STATE, PAGE],
    paging: 'page',
  }),
};
