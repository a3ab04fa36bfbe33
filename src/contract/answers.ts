/**
 * The schema of every operation's successful answer, with the members that the interface names and the observed ones that
 * readers use. Loose. For OpenAPI and contract tests; readers do not depend on it, so that an odd member loses no record.
 */
import { z } from 'zod';
import { availabilitySchema, balanceSchema } from './account.js';
import { metaSchema } from './envelope.js';
import type { OperationId } from './operation.js';
import { pendingSchema } from './pending.js';
import { caseWire, documentCasesWire } from './records/cases.js';
import { documentsWire } from './records/documents.js';
import { boardWire, electoralItemWire } from './records/electoral.js';
import { lawyerCasesWire } from './records/lawyer-cases.js';
import { monitorRecordWire, monitorsWire } from './records/monitors.js';
import { movementsWire } from './records/movements.js';
import { noticesWire, publicationWire } from './records/notices.js';
import { referenceWire } from './records/reference.js';
import { legacySearchWire } from './records/search.js';
import { summaryWire } from './records/summary.js';

const enveloped = <Data extends z.ZodType>(data: Data) => z.looseObject({ data, meta: metaSchema });

/** A list answer: `data` is the list, or an object that holds it (both were observed). */
const listed = <Data extends z.ZodType>(data: Data) => enveloped(z.union([data, z.array(z.looseObject({}))]));

/** An object that may hold its list under any of these names. */
const lists = (...names: readonly string[]) =>
  z.looseObject(Object.fromEntries(names.map((name) => [name, z.array(z.looseObject({})).nullish()])));

const statusWire = z.looseObject({ numeroCnj: z.string().nullish(), status: z.string().nullish() });
const monitorResult = enveloped(z.union([monitorsWire, monitorRecordWire]));

/**
 * Body of the final 2xx. `getElectoralEditionPdf` answers bytes, so it has none; `getRequest` reproduces the answer of
 * another operation, whose schema applies. A 202 of any operation is `pendingSchema`.
 */
export const ANSWER_SCHEMAS: Readonly<Record<OperationId, z.ZodType | null>> = {
  getAvailability: availabilitySchema,
  getBalance: enveloped(balanceSchema),
  getRequest: z.looseObject({}),
  searchTerm: listed(lists('items')),
  searchLegacy: legacySearchWire,
  listCasesByDocument: listed(documentCasesWire),
  getCase: enveloped(caseWire),
  listMovements: listed(movementsWire),
  requestRefresh: z.union([pendingSchema, enveloped(statusWire)]),
  getRefreshStatus: enveloped(statusWire),
  listPublicDocuments: listed(documentsWire),
  requestSummary: z.union([pendingSchema, enveloped(summaryWire)]),
  getSummary: enveloped(summaryWire),
  listLawyerCases: listed(lawyerCasesWire),
  listLawyerGazettes: listed(lists('items', 'publicacoes', 'processos')),
  createNoticeMonitor: monitorResult,
  listNoticeMonitors: listed(monitorsWire),
  updateNoticeMonitor: monitorResult,
  listNotices: listed(noticesWire),
  getPublication: enveloped(publicationWire),
  listRadars: listed(monitorsWire),
  createRadar: monitorResult,
  createCaseMonitor: monitorResult,
  deactivateAdminMonitor: enveloped(z.unknown()),
  listPrecatorios: listed(lists('items', 'precatorios')),
  getElectoralPublication: enveloped(electoralItemWire),
  getElectoralEditionPdf: null,
  searchElectoralBoard: listed(boardWire),
  listAdministrativeBodies: enveloped(referenceWire),
  listCourtSystems: enveloped(referenceWire),
};
