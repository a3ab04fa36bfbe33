/** The handler of every operation of the catalogue; the compiler refuses an operation without one. */
import type { OperationId } from '../../src/contract/index.js';
import { getAvailability } from './availability.js';
import { getBalance } from './balance.js';
import { getRequest } from './get-request.js';
import { listPublicDocuments } from './public-documents.js';
import { getRefreshStatus } from './refresh-status.js';
import { requestRefresh } from './request-refresh.js';
import type { OperationHandler } from './types.js';

export const HANDLERS: Readonly<Record<OperationId, OperationHandler>> = {
  getAvailability,
  getBalance,
  getRequest,
  requestRefresh,
  getRefreshStatus,
  listPublicDocuments,
};
