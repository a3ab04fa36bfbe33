/**
 * The envelope of a successful answer (interface "Envelope of a successful response"): `data` and `meta`. Loose:
 * unknown members stay, every member of `meta` may be missing, and amounts may be numbers or strings.
 */
import { z } from 'zod';
import { isJsonObject, textOf, type JsonObject } from './json.js';
import { readServiceAmount, type Amount } from './values/index.js';

/** What a call cost, and the ids of its answer; any member may be missing. */
export const metaSchema = z.looseObject({
  creditsCharged: z.union([z.number(), z.string()]).nullish(),
  creditsRemaining: z.union([z.number(), z.string()]).nullish(),
  requestId: z.string().nullish(),
  searchLogId: z.union([z.string(), z.number()]).nullish(),
  servedAt: z.string().nullish(),
});

/** A successful answer: the record in `data`, what the call cost in `meta`. */
export const envelopeSchema = z.looseObject({ data: z.unknown(), meta: metaSchema });

/** What `meta` reported. `null` means that the service did not report it, never zero. */
export interface AnswerMeta {
  /** `meta.creditsCharged`: what this call cost, in ten-thousandths (interface "Envelope of a successful response"). */
  readonly charged: Amount | null;
  /** `meta.creditsRemaining`: the balance after this call, in ten-thousandths. */
  readonly balanceAfter: Amount | null;
  /** `meta.requestId`: names the call for support; not the id of pending work. */
  readonly metaRequestId: string | null;
  /** `meta.searchLogId`: the entry of the consumption log; null for a free call too. */
  readonly searchLogId: string | null;
}

const MAX_ID = 200;

/** The meta of an answer that reported nothing. */
export const NO_META: AnswerMeta = { charged: null, balanceAfter: null, metaRequestId: null, searchLogId: null };

/**
 * Reads `meta` member by member, so one odd member does not hide the charge in another. Like the data of some operations, it is
 * read in snake case too: a charge that is overlooked counts as unknown.
 */
export function readMeta(body: unknown): AnswerMeta {
  const meta = isJsonObject(body) ? body['meta'] : undefined;
  if (!isJsonObject(meta)) return NO_META;
  return {
    charged: readServiceAmount(meta['creditsCharged'] ?? meta['credits_charged']) ?? null,
    balanceAfter: readServiceAmount(meta['creditsRemaining'] ?? meta['credits_remaining']) ?? null,
    metaRequestId: idOf(meta['requestId'] ?? meta['request_id']),
    searchLogId: idOf(meta['searchLogId'] ?? meta['search_log_id']),
  };
}

/** Ids go into the ledger: bounded, and without control characters, which a database refuses. */
function idOf(value: unknown): string | null {
  const text = textOf(value)?.replace(/\p{C}/gu, '').slice(0, MAX_ID) ?? '';
  return text === '' ? null : text;
}

/** `data` of an envelope; undefined when the body is not an envelope. */
export function readData(body: unknown): JsonObject | undefined {
  const data = isJsonObject(body) ? body['data'] : undefined;
  return isJsonObject(data) ? data : undefined;
}

/** `data` when the body is an envelope, else the body itself: some services of this kind answer bare records. */
export function readRecord(body: unknown): JsonObject | undefined {
  return readData(body) ?? (isJsonObject(body) ? body : undefined);
}
