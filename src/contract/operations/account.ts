/** Availability, balance, pending requests. */
import { define } from './define.js';

export const ACCOUNT_OPERATIONS = {
  availability: define('getAvailability', {
    method: 'GET',
    path: '/v1',
    charge: 'presumed free',
    eligible202: false,
    answer: 'availability',
  }),
  balance: define('getBalance', { method: 'GET', path: '/v1/conta/saldo', charge: 'free', eligible202: false }),
  request: define('getRequest', {
    method: 'GET',
    path: '/v1/requests/{requestId}',
    parameters: [{ name: 'requestId', in: 'path', kind: 'request id', required: true }],
    charge: 'free',
    answer: 'reproduced',
    more: 'States and transitions',
  }),
};
