/** The handler of every operation of the catalogue; the compiler refuses an operation without one. */
import type { OperationId } from '../../src/contract/index.js';
import { getElectoralEditionPdf, getElectoralPublication, searchElectoralBoard } from './electoral.js';
import { getCase } from './get-case.js';
import { getRequest } from './get-request.js';
import { listLawyerCases, listLawyerGazettes } from './lawyers.js';
import { listCasesByDocument } from './list-cases-by-document.js';
import { listMovements } from './list-movements.js';
import { listPrecatorios } from './list-precatorios.js';
import { createNoticeMonitor, listNoticeMonitors, updateNoticeMonitor } from './notice-monitors.js';
import { getPublication, listNotices } from './notices.js';
import { createCaseMonitor, createRadar, deactivateAdminMonitor, listRadars } from './other-monitors.js';
import { listPublicDocuments } from './public-documents.js';
import { getAvailability, getBalance, listAdministrativeBodies, listCourtSystems } from './reference.js';
import { getRefreshStatus, requestRefresh } from './refresh.js';
import { searchLegacy, searchTerm } from './search.js';
import { getSummary, requestSummary } from './summary.js';
import type { OperationHandler } from './types.js';

export const HANDLERS: Readonly<Record<OperationId, OperationHandler>> = {
  getAvailability,
  getBalance,
  getRequest,
  searchTerm,
  searchLegacy,
  listCasesByDocument,
  getCase,
  listMovements,
  requestRefresh,
  getRefreshStatus,
  listPublicDocuments,
  requestSummary,
  getSummary,
  listLawyerCases,
  listLawyerGazettes,
  createNoticeMonitor,
  listNoticeMonitors,
  updateNoticeMonitor,
  listNotices,
  getPublication,
  listRadars,
  createRadar,
  createCaseMonitor,
  deactivateAdminMonitor,
  listPrecatorios,
  getElectoralPublication,
  getElectoralEditionPdf,
  searchElectoralBoard,
  listAdministrativeBodies,
  listCourtSystems,
};
