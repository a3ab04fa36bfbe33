/** Door of privacy: personal data under the law. Who looked at it is kept here. */
export { recordAccess, type Access } from './access-log.js';
