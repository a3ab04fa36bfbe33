/**
 * Door of the flows and entry of the workflow bundle: it exports workflow functions and nothing else. The default export
 * catches unknown workflow types; it is the only default export of the project.
 *
 * Imports only `@temporalio/workflow`, the protocol and the pure contract values: no zod, no Node built-in, no clock of its
 * own. A worker of your own re-exports it: `export * from 'tramita/workflow'; export { default } from 'tramita/workflow';`
 */
import { unknownType } from './unknown-type.js';

export { auditMonitors } from './audit-monitors.js';
export { createCaseMonitor, createRadar } from './create-monitor.js';
export { deactivateMonitor } from './deactivate-monitor.js';
export { ensureNoticeMonitor } from './ensure-notice-monitor.js';
export { importLawyerCases } from './import-lawyer-cases.js';
export { syncNotices } from './sync-notices.js';
export { callOperation } from './call-operation.js';
export { awaitRequest } from './await-request.js';
export { collectPages } from './collect-pages.js';
export { readCase } from './read-case.js';
export { searchBoard } from './search-board.js';
export { summarizeCase } from './summarize-case.js';
export { refreshCase } from './refresh-case.js';
export { refreshPortfolio } from './refresh-portfolio.js';
// The SDK looks a type up as a member of this module, which inherits these: unless they are replaced, such a run gets stuck.
export {
  unknownType as constructor,
  unknownType as hasOwnProperty,
  unknownType as isPrototypeOf,
  unknownType as propertyIsEnumerable,
  unknownType as toLocaleString,
  unknownType as toString,
  unknownType as valueOf,
  unknownType as __defineGetter__,
  unknownType as __defineSetter__,
  unknownType as __lookupGetter__,
  unknownType as __lookupSetter__,
};
export default unknownType;
