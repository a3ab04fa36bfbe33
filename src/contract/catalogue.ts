/**
 * The operation catalogue: every row of interface "Endpoints" in its order, and `getSummary`, whose path is a gap. Charge
 * classes from "States and transitions", "Limits" and general rule 2; where the interface is silent a call may cost money,
 * apart from availability, refresh status, listings of monitors and reference lists, which are presumed free.
 */
import type { Operation, OperationId } from './operation.js';
import { ACCOUNT_OPERATIONS as account } from './operations/account.js';
import { CASE_OPERATIONS as cases } from './operations/cases.js';
import { ELECTORAL_OPERATIONS as electoral } from './operations/electoral.js';
import { LAWYER_OPERATIONS as lawyers } from './operations/lawyers.js';
import { MONITOR_OPERATIONS as monitors } from './operations/monitors.js';
import { NOTICE_OPERATIONS as notices } from './operations/notices.js';
import { PRECATORIO_OPERATIONS as precatorios } from './operations/precatorios.js';
import { REFERENCE_OPERATIONS as reference } from './operations/reference.js';
import { SEARCH_OPERATIONS as search } from './operations/search.js';

/** Every built-in operation, in the order of the interface's endpoint table. */
export const OPERATIONS: readonly Operation[] = [
  account.availability,
  account.balance,
  account.request,
  search.term,
  search.legacy,
  cases.byDocument,
  cases.cover,
  cases.movements,
  cases.refresh,
  cases.refreshStatus,
  cases.documents,
  cases.requestSummary,
  cases.summary,
  lawyers.cases,
  lawyers.gazettes,
  notices.createMonitor,
  notices.listMonitors,
  notices.updateMonitor,
  notices.list,
  notices.publication,
  monitors.listRadars,
  monitors.createRadar,
  monitors.createCaseMonitor,
  monitors.deactivateAdmin,
  precatorios.list,
  electoral.publication,
  electoral.editionPdf,
  electoral.board,
  reference.bodies,
  reference.systems,
];

const BY_ID: ReadonlyMap<string, Operation> = new Map(OPERATIONS.map((row) => [row.id, row]));

/** Throws on an id that the catalogue does not have: ids are checked where they enter. */
export function operationOf(id: OperationId): Operation {
  const operation = BY_ID.get(id);
  if (operation === undefined) throw new Error(`tramita: operation "${id}" is not in the catalogue`);
  return operation;
}

/** True for built-in ids. */
export function isOperationId(id: string): id is OperationId {
  return BY_ID.has(id);
}
