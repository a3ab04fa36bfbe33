/**
 * Door of the http room: one outbound call and its result. `createServiceClient` sends JSON calls with the key, once
 * and only to the configured origin; `downloadFile` fetches signed links without it; the judges and the retry timing are
 * pure. This room knows neither Temporal nor the ledger: intents, retries and waiting belong to the rooms outside. A free
 * read that turns out to charge reports the charge to the ledger that it is given.
 *
 * Not exported: the transport, sockets, axios itself. No error object of a library leaves this room.
 */
export { serviceHeadersOf, statusOf } from './answer-head.js';
export { metaOf, readExchangeMeta, saysFree } from './answer-meta.js';
export { downloadFile, type DownloadOutcome, type DownloadRequest } from './download.js';
export {
  alarm,
  asUnexpected,
  noteCharge,
  noteThrottle,
  readFree,
  sendFree,
  type FreeAnswer,
  type FreeRead,
  type ReadBook,
} from './free-read.js';
export { judgeExchange } from './judge-exchange.js';
export { judgePoll, type PollVerdict } from './judge-poll.js';
export { describeError } from './redact.js';
export type { Resolve } from './resolve-pinned.js';
export { pollDelayMs, readHintMs } from './retry-timing.js';
export { createServiceClient, type ExchangeLimits, type SendOptions, type ServiceClient } from './service-client.js';

export { parseStrictJson } from './strict-json.js';
export type { Exchange, Judgement } from './types.js';
