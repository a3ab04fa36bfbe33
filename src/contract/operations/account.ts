/** Availability, balance, pending requests. */
import { define, inPath } from './define.js';

export const ACCOUNT_OPERATIONS = [
  define('getAvailability', {
    path: '/v1',
    charge: 'presumed free',
    eligible202: false,
    answer: 'availability',
  }),
  define('getBalance', { path: '/v1/conta/saldo', charge: 'free', eligible202: false }),
  define('getRequest', {
    path: '/v1/requests/{requestId}',
    parameters: [inPath('requestId', 'request id')],
    charge: 'free',
    answer: 'reproduced',
    more: 'States and transitions',
  }),
];
