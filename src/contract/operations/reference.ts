/** Reference lists: covered administrative bodies and court systems. */
import { define } from './define.js';

export const REFERENCE_OPERATIONS = {
  bodies: define('listAdministrativeBodies', {
    method: 'GET',
    path: '/v1/orgaos-administrativos',
    charge: 'presumed free',
    bareList: true,
  }),
  systems: define('listCourtSystems', {
    method: 'GET',
    path: '/v1/sistemas',
    charge: 'presumed free',
    bareList: true,
    more: 'filter parameters not shown (Endpoint gaps)',
  }),
};
