/**
 * The operation catalogue: every row of interface "Endpoints" in its order, and `getSummary`, whose path is a gap. Charge
 * classes from "States and transitions", "Limits" and general rule 2; where the interface is silent a call may cost money,
 * except for availability, refresh status, listings of monitors and reference lists, which are presumed free.
 */
import type { Operation, OperationId } from './operation.js';
import { ACCOUNT_OPERATIONS } from './operations/account.js';
import { CASE_OPERATIONS } from './operations/cases.js';
import { ELECTORAL_OPERATIONS } from './operations/electoral.js';
import { LAWYER_OPERATIONS } from './operations/lawyers.js';
import { MONITOR_OPERATIONS } from './operations/monitors.js';
import { NOTICE_OPERATIONS } from './operations/notices.js';
import { PRECATORIO_OPERATIONS } from './operations/precatorios.js';
import { REFERENCE_OPERATIONS } from './operations/reference.js';
import { SEARCH_OPERATIONS } from './operations/search.js';

/** Every built-in operation, in the order of the interface's endpoint table. */
export const OPERATIONS: readonly Operation[] = [
  ...ACCOUNT_OPERATIONS,
  ...SEARCH_OPERATIONS,
  ...CASE_OPERATIONS,
  ...LAWYER_OPERATIONS,
  ...NOTICE_OPERATIONS,
  ...MONITOR_OPERATIONS,
  ...PRECATORIO_OPERATIONS,
  ...ELECTORAL_OPERATIONS,
  ...REFERENCE_OPERATIONS,
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
