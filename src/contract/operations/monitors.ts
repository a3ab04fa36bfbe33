/**
 * Continuous monitors: new-cases radars, case monitors, administrative-process monitors. Of their definitions the
 * interface shows only `webhook_url`, so their bodies are open.
 */
import { define, ID, LIMIT, PAGE, WEBHOOK_URL } from './define.js';

const RADARS = '/v1/monitoramentos/novos-processos';
const OPEN_BODY = { query: false, body: true } as const;

export const MONITOR_OPERATIONS = [
  define('listRadars', {
    path: RADARS,
    parameters: [PAGE, LIMIT],
    charge: 'presumed free',
    paging: 'page and limit',
  }),
  define('createRadar', {
    method: 'POST',
    path: RADARS,
    parameters: [WEBHOOK_URL],
    open: OPEN_BODY,
    charge: 'recurring',
    evidence: 'listing',
    evidenceFrom: 'listRadars',
    more: 'rule 13; Other named fields, "New-cases radar"',
  }),
  define('createCaseMonitor', {
    method: 'POST',
    path: '/v1/monitoramentos/processos',
    parameters: [WEBHOOK_URL],
    open: OPEN_BODY,
    charge: 'recurring',
    evidence: 'own ledger',
    more: 'rule 13; monthly billing as observed',
  }),
  define('deactivateAdminMonitor', {
    method: 'DELETE',
    path: '/v1/monitoramentos/processos-administrativos/{id}',
    parameters: [ID],
    evidence: 'idempotent',
    more: 'States and transitions, "Administrative-process monitor"',
  }),
];
