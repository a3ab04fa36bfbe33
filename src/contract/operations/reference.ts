/** Reference lists: covered administrative bodies and court systems. */
import { define } from './define.js';

export const REFERENCE_OPERATIONS = [
  define('listAdministrativeBodies', {
    path: '/v1/orgaos-administrativos',
    charge: 'presumed free',
    bareList: true,
  }),
  define('listCourtSystems', {
    path: '/v1/sistemas',
    charge: 'presumed free',
    bareList: true,
    more: 'filter parameters not shown (Endpoint gaps)',
  }),
];
