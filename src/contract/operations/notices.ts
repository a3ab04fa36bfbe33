/** Notices (intimações) by bar registration: their monitors, the notices, full texts. */
import {
  AUXILIARY_TERMS,
  define,
  inPath,
  inQuery,
  LIMIT,
  OAB_NUMBER,
  OAB_STATE,
  ORIGINS,
  PAGE,
  WEBHOOK_URL,
} from './define.js';

const MONITORS = '/v1/intimacoes/oab';

export const NOTICE_OPERATIONS = [
  define('createNoticeMonitor', {
    method: 'POST',
    path: MONITORS,
    parameters: [
      { name: 'oabs', in: 'body', kind: 'oab list', required: false },
      // The observed service refuses `oabs` and takes number and state as separate members.
      { ...OAB_NUMBER, in: 'body', required: false },
      { ...OAB_STATE, in: 'body', required: false },
      AUXILIARY_TERMS,
      ORIGINS,
      WEBHOOK_URL,
    ],
    needsOneOf: [['oabs'], ['oab_numero', 'oab_estado']],
    charge: 'recurring',
    evidence: 'listing',
    evidenceFrom: 'listNoticeMonitors',
    more: 'rule 13; States and transitions, "Notice monitor"',
  }),
  define('listNoticeMonitors', {
    path: MONITORS,
    parameters: [PAGE, LIMIT],
    charge: 'presumed free',
    paging: 'page and limit',
  }),
  define('updateNoticeMonitor', {
    method: 'PUT',
    path: MONITORS,
    parameters: [
      { ...OAB_NUMBER, placeGap: 'updateMonitorOabIn' },
      { ...OAB_STATE, placeGap: 'updateMonitorOabIn' },
      AUXILIARY_TERMS,
      ORIGINS,
      WEBHOOK_URL,
    ],
    evidence: 'listing',
    evidenceFrom: 'listNoticeMonitors',
    more: 'rule 13; States and transitions, "Notice monitor"',
  }),
  define('listNotices', {
    path: '/v1/intimacoes',
    parameters: [{ ...inQuery('oabs', 'oab list'), required: true }, inQuery('desde', 'civil date')],
    bareList: true,
    more: 'rule 12',
  }),
  define('getPublication', {
    path: '/v1/intimacoes/publicacoes/{diarioId}',
    parameters: [inPath('diarioId', 'id')],
    more: 'rule 12',
  }),
];
