/**
 * Door of privacy: personal data under the law. Where it is, who looked at it, and how a person or a case is found, exported
 * and erased. It speaks to no server: the command line gives it access to Temporal.
 */
export { checkAccessLog, recordAccess, type Access } from './access-log.js';
export { honourErasures, eraseSubject, type Erased } from './erase.js';
export { erasedTokens } from './erasure-log.js';
export { EXPORT_VERSION } from './export-version.js';
export { held, type Holdings } from './find.js';
export type { FlowRun, Flows } from './flows-of.js';
export { isSealedCase } from './is-sealed.js';
export { openOwnDisk } from './own-disk.js';
export { createKeeping, findOverdue, MOST_COUNTED, type Keeping, type Overdue } from './keep.js';
export {
  SUBJECT_KINDS,
  parseSubject,
  seekNumber,
  seekToken,
  tokenOfSubject,
  type Sought,
  type Subject,
  type SubjectKind,
} from './subject.js';
