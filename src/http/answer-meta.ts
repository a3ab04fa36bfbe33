/**
 * Charge, balance and ids of an answer: from `meta` of its envelope, and from `X-Service-*` headers for what `meta` lacks
 * or when there is no envelope (interface "Endpoints": legacy search, electoral PDF). Pure.
 */
import { isJsonObject, readMeta, readServiceAmount, textOf, type Amount, type AnswerMeta } from '../contract/index.js';
import { parseStrictJson, readLooseJson, type ParsedJson } from './strict-json.js';
import type { AnswerHead, Exchange, Judgement } from './types.js';

/** The interface names `credits-remaining` and `search-log-id`; the other two follow the names of `meta`. */
export function readAnswerMeta(body: unknown, head: AnswerHead): AnswerMeta {
  const meta = readMeta(body);
  const header = (name: string): string | undefined => textOf(head.headers[`x-service-${name}`]);
  return {
    charged: bookable(meta.charged ?? readServiceAmount(header('credits-charged'))),
    balanceAfter: meta.balanceAfter ?? readServiceAmount(header('credits-remaining')) ?? null,
    metaRequestId: meta.metaRequestId ?? header('request-id') ?? null,
    searchLogId: meta.searchLogId ?? header('search-log-id') ?? null,
  };
}

/** True if `meta` has no charge, and a log id that is null: the interface has that only for free calls. */
export function saysFree(body: unknown): boolean {
  const meta = isJsonObject(body) ? body['meta'] : undefined;
  if (!isJsonObject(meta) || meta['searchLogId'] !== null) return false;
  return [meta['creditsCharged'], meta['credits_charged']].every((charge) => (charge ?? null) === null);
}

/** A negative charge cannot be booked, so it counts as unknown. */
function bookable(charged: Amount | null | undefined): Amount | null {
  return charged === undefined || charged === null || charged < 0 ? null : charged;
}

/** The `meta` of any exchange; members that it did not report are null. The head of a lost answer may still say what it cost. */
export function readExchangeMeta(exchange: Exchange): AnswerMeta {
  if (!('head' in exchange)) return readMeta(undefined);
  if (exchange.kind !== 'answer') return readAnswerMeta(undefined, exchange.head);
  return readAnswerMeta(bodyForMeta(parseStrictJson(exchange.body), exchange.body), exchange.head);
}

/** The same for a judged exchange, without reading its body again. */
export function metaOf(judgement: Judgement | undefined, exchange: Exchange): AnswerMeta {
  return judgement !== undefined && 'meta' in judgement ? judgement.meta : readExchangeMeta(exchange);
}

/** The value to read `meta` from. A body that the strict parser refuses may have been paid for, so it is read leniently. */
export function bodyForMeta(json: ParsedJson, bytes: Buffer): unknown {
  return json.ok ? json.value : readLooseJson(bytes);
}
