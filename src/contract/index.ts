/**
 * Door of the contract: the service as data. Operation catalogue, identifiers, money, schemas and lenient readers of what
 * the service sends. The only room with zod schemas of the service; it knows no clock, no environment, no network.
 * Source of everything here: the service's interface document, v1, and the shapes that were observed.
 *
 * Workflow code must not import this door as a value (zod would enter the workflow bundle): it uses `./values`.
 */
export { availabilitySchema, balanceSchema, readBalance, type Balance } from './account.js';
export { OPERATIONS, isOperationId, operationOf } from './catalogue.js';
export { NO_META, envelopeSchema, metaSchema, readData, readMeta, readRecord, type AnswerMeta } from './envelope.js';
export { isAboutBalance, readErrorBody, type ServiceError } from './error-body.js';
export { ANSWER_SCHEMAS } from './answers.js';
export { applyGaps, pageParameterOf, type NamingGaps } from './apply-gaps.js';
export { withExtraOperations, type Catalogue, type ExtraOperation } from './extra-operations.js';
export { DEFAULT_GAPS, type FlagGap, type Gaps, type StatusWords } from './gaps.js';
export { atPath, firstAt, isJsonObject, textOf, type Json, type JsonObject } from './json.js';
export {
  isCharged,
  type AnswerForm,
  type ChargeClass,
  type Evidence,
  type FilterGap,
  type FlagName,
  type Method,
  type Operation,
  type OperationId,
  type OperationParameter,
  type Paging,
} from './operation.js';
export { readValue, type ParameterKind, type ValueRead, type WireValue } from './parameter-kinds.js';
export { readNextLink, readPage, type NextPage, type PageContext, type PageReading } from './page.js';
export { pendingSchema, readPending, type Pending, type PollHints } from './pending.js';
export { expectedPrice, listedPrice, statedPrice, type Prices } from './prices.js';
export { readPublicDocuments, type PublicDocument, type PublicDocumentPage } from './public-documents.js';
export {
  hasStatusRecord,
  isSameWord,
  readRefreshStatus,
  type RefreshState,
  type RefreshStatus,
} from './refresh-status.js';
export {
  argumentsProblem,
  buildRequest,
  canonicalParameters,
  type CallArguments,
  type Parameters,
  type ParameterValue,
  type ServiceRequest,
} from './route.js';
export {
  readCase,
  readDocumentCases,
  type CaseReading,
  type CaseRecord,
  type CaseSource,
  type DocumentCases,
} from './records/cases.js';
export { readDocuments, type DocumentRecord } from './records/documents.js';
export { countDrift, type Drift } from './records/drift.js';
export { readBoard, readElectoralPublication, type ElectoralItem } from './records/electoral.js';
export { readLawyerCases, type Coverage, type LawyerCase, type LawyerCases } from './records/lawyer-cases.js';
export {
  readCaseMonitors,
  readNoticeMonitors,
  readRadars,
  type CaseMonitor,
  type MonitorList,
  type NoticeMonitor,
  type Radar,
} from './records/monitors.js';
export { buildMovementKeys, readMovements, type Movement } from './records/movements.js';
export { readGazettes, readNotices, readPublication, type Notice, type NoticeList } from './records/notices.js';
export { readPrecatorios, type Precatorio, type PrecatorioList } from './records/precatorios.js';
export { type DomainRecord, type RecordList } from './records/read-records.js';
export { readReferenceList, type ReferenceEntry } from './records/reference.js';
export { readSearch, readSearchMeta, type SearchHit, type SearchMeta } from './records/search.js';
export { decideSensitivity, type Sensitivity } from './records/sensitivity.js';
export { readSummary, type Summary } from './records/summary.js';
export { readCivilDate, readInstantMs } from './service-time.js';
export {
  NEWS_EVENTS,
  canonicalEventName,
  readWebhookEvent,
  webhookEventSchema,
  type WebhookEvent,
} from './webhook-event.js';
export * from './values/index.js';
