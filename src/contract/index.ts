/**
 * Door of the contract: the service as data. Operation catalogue, identifiers, money, schemas and lenient readers of what
 * the service sends. The only room with zod schemas of the service; it knows no clock, no environment, no network.
 * Source of everything here: the service's interface document, v1, and the observed shapes of `domain.md` 6–7.
 *
 * Workflow code must not import this door as a value (zod would enter the workflow bundle): it uses `./values`.
 */
export { availabilitySchema, balanceSchema, readBalance, type Balance } from './account.js';
export { OPERATIONS, isOperationId, operationOf } from './catalogue.js';
export { NO_META, envelopeSchema, metaSchema, readData, readMeta, readRecord, type AnswerMeta } from './envelope.js';
export { isAboutBalance, readErrorBody, type ServiceError } from './error-body.js';
export { DEFAULT_GAPS, type FlagGap, type Gaps, type StatusWords } from './gaps.js';
export { atPath, firstAt, isJsonObject, textOf, type Json, type JsonObject } from './json.js';
export {
  isCharged,
  type ChargeClass,
  type FlagName,
  type Operation,
  type OperationId,
  type OperationParameter,
  type Paging,
} from './operation.js';
export { pendingSchema, readPending, type Pending, type PollHints } from './pending.js';
export { readPublicDocuments, type PublicDocument, type PublicDocumentPage } from './public-documents.js';
export { hasStatusRecord, readRefreshStatus, type RefreshState, type RefreshStatus } from './refresh-status.js';
export { argumentsProblem, buildRequest, type Parameters, type ParameterValue, type ServiceRequest } from './route.js';
export { readInstantMs } from './service-time.js';
export { readWebhookEvent, webhookEventSchema, type WebhookEvent } from './webhook-event.js';
export {
  AMOUNT_SCALE,
  ZERO_AMOUNT,
  addAmounts,
  cnjDigits,
  expectedCheckDigits,
  formatAmount,
  formatCnj,
  formatDuration,
  isProbeCnj,
  parseAmount,
  parseCnj,
  parseDurationMs,
  parseRequestId,
  readServiceAmount,
  requestIdFromUrl,
  type Amount,
  type Cnj,
  type CnjParse,
  type RequestId,
} from './values/index.js';
