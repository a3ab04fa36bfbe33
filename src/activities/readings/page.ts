/**
 * One page of a collection: how many items it has, where the next page is, what the search says about itself. The items stay in
 * the stored answer and in the records; `fingerprint` shows a page that comes twice. Pure.
 */
import { createHash } from 'node:crypto';
import {
  applyGaps,
  buildRequest,
  pageParameterOf,
  present,
  readPage,
  readSearchMeta,
  type JsonObject,
  type NextPage,
  type Operation,
} from '../../contract/index.js';
import type { NextPageStep, PageFactsReading } from '../../protocol/index.js';
import { listItems } from './list-items.js';
import type { ReadableAnswer } from './types.js';

/** What a search says about itself goes through Temporal up to this size; more than that is only in the stored answer. */
const MAX_SEARCH = 8_000;

export function readPageFacts(answer: ReadableAnswer): PageFactsReading | undefined {
  const { operation, body, gaps, params } = answer;
  const items = listItems(operation.id, body, gaps);
  if (items === undefined) return undefined;
  const named = applyGaps(operation, gaps);
  const pageParameter = pageParameterOf(named);
  const target = answer.target ?? buildRequest(operation, { params, flags: [] }, gaps).target;
  const number = numberIn(target, pageParameter);
  const page = Number(number ?? 1);
  const { next, total } = readPage(body, { target, baseUrl: answer.baseUrl ?? '', page, listed: items.length });
  const isLinked = answer.target !== undefined;
  // Nobody knows which page a cursor or a link without a number gave, so going on by number could buy a page again.
  const isUnnumbered = number === undefined && (isLinked || /[?&]cursor=/.test(target));
  // A service that names next pages and names none here has none.
  const isLast = ((isLinked || isUnnumbered) && next.kind === 'unsaid') || (isUnnumbered && next.kind === 'page');
  const search = readSearchMeta(body);
  return {
    items: items.length,
    fingerprint: hash(JSON.stringify(items, operation.id === 'listPublicDocuments' ? withoutSignature : undefined)),
    next: isLast ? { kind: 'end' } : stepOf(byNumberUnlessTaken(next, named, page), pageParameter),
    total: total ?? null,
    partial: search?.partial ?? null,
    search: search === undefined ? null : small(search.data, search.mode),
  };
}

/** Links to documents are signed again at each call, in their query: a link is compared without it. For `JSON.stringify`. */
function withoutSignature(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/^(https?:\/\/[^?\s]+)\?\S*$/i, '$1') : value;
}

/** A cursor says that there is another page. An operation that takes no cursor requests that page by its number. */
function byNumberUnlessTaken(next: NextPage, { parameters, open }: Operation<string>, page: number): NextPage {
  const isTaken = open.query || parameters.some(({ name }) => name === 'cursor');
  return next.kind === 'cursor' && !isTaken ? { kind: 'page', page: page + 1 } : next;
}

/** A page cannot be requested by number if the page parameter is not known. */
function stepOf(next: NextPage, pageParameter: string | undefined): NextPageStep {
  switch (next.kind) {
    case 'link':
      return { kind: 'link', target: next.target, key: numberIn(next.target, pageParameter) ?? hash(next.target) };
    case 'cursor':
      return { ...next, key: hash(JSON.stringify([next.cursor, next.li ?? null])) };
    case 'page':
      return pageParameter === undefined ? { kind: 'unsaid' } : { ...next, key: String(next.page) };
    case 'refused':
      return { kind: 'refused', problem: next.problem, ...present({ loops: next.loops }) };
    case 'end':
    case 'unsaid':
      return { kind: next.kind };
  }
}

/** The page number in a target, if it has one. */
function numberIn(target: string, pageParameter = 'page'): string | undefined {
  const page = queryOf(target).get(pageParameter) ?? '';
  return /^[1-9]\d{0,8}$/.test(page) ? page : undefined;
}

/** All of it: a further question mark belongs to the query (RFC 3986, 3.4), as the service reads it. */
export function queryOf(target: string): URLSearchParams {
  return new URLSearchParams(/\?(.*)$/s.exec(target)?.[1]);
}

function small(data: JsonObject, mode: string | null): JsonObject {
  return JSON.stringify(data).length <= MAX_SEARCH ? data : { mode, truncated: true };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
