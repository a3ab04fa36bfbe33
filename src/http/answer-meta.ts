/**
 * Figures of an answer: `meta` of the envelope, completed from `X-Service-*` headers where the envelope is silent or there
 * is none (interface "Endpoints": legacy search, electoral PDF). Pure.
 */
import { readMeta, readServiceAmount, textOf, type Amount, type AnswerMeta } from '../contract/index.js';
import { parseStrictJson, readLooseJson, type ParsedJson } from './strict-json.js';
import type { AnswerHead, Exchange } from './types.js';

/** The interface names `credits-remaining` and `search-log-id`; the other two follow the names of `meta`. */
export function readAnswerMeta(body: unknown, head: AnswerHead): AnswerMeta {
  const meta = readMeta(body);
  const header = (name: string): string | undefined => textOf(head.headers[`x-service-${name}`]);
  return {
    charged: spent(meta.charged ?? readServiceAmount(header('credits-charged'))),
    balanceAfter: meta.balanceAfter ?? readServiceAmount(header('credits-remaining')) ?? null,
    metaRequestId: meta.metaRequestId ?? header('request-id') ?? null,
    searchLogId: meta.searchLogId ?? header('search-log-id') ?? null,
  };
}

/** A charge below zero is no charge that anybody could book: it is not known. */
function spent(charged: Amount | null | undefined): Amount | null {
  return charged === undefined || charged === null || charged < 0 ? null : charged;
}

/**
 * The figures of any exchange, null where it has none. For those whose judgement carries no `meta`: a paid answer that is
 * lost may still have said in its head what it cost.
 */
export function readExchangeMeta(exchange: Exchange): AnswerMeta {
  if (!('head' in exchange)) return readMeta(undefined);
  if (exchange.kind !== 'answer') return readAnswerMeta(undefined, exchange.head);
  return readAnswerMeta(figuresOf(parseStrictJson(exchange.body), exchange.body), exchange.head);
}

/** Where the figures of an answer stand: also in a body that cannot be kept, which was paid for all the same. */
export function figuresOf(json: ParsedJson, bytes: Buffer): unknown {
  return json.ok ? json.value : readLooseJson(bytes);
}
