/** Door of privacy: personal data under the law. Where it stands, and who looked at it. */
export { recordAccess } from './access-log.js';
export { isSealedCase } from './is-sealed.js';
export { createKeeping, findOverdue, MOST_COUNTED, type Keeping, type Overdue } from './keep.js';
export { HARMLESS, OTHER_PLACES, TABLE_PLACES, type ColumnForm, type TablePlace } from './places.js';
