/**
 * Reads raw header lists. Node joins or silently drops repeated headers (of two `Authorization` lines it keeps the first), so
 * headers that decide about trust are read from the raw list, where a repetition is visible. Pure.
 */

/** Headers that the service sets (interface "Delivery headers"); a delivery that repeats one is refused. */
const SERVICE_HEADERS = [
  'x-service-event',
  'x-service-delivery-id',
  'x-service-timestamp',
  'authorization',
  'x-service-signature',
] as const;

const MAX_DELIVERY_ID = 200;

/** All values of a header, names compared without case. */
export function headerValues(rawHeaders: readonly string[], name: string): readonly string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (isNamed(rawHeaders[index], name)) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}

export function repeatedServiceHeader(rawHeaders: readonly string[]): string | undefined {
  return SERVICE_HEADERS.find((name) => headerValues(rawHeaders, name).length > 1);
}

/** Called some hundred times per delivery: the length alone decides nearly all of the calls. */
function isNamed(given: string | undefined, name: string): boolean {
  return given?.length === name.length && given.toLowerCase() === name;
}

/** The unsigned delivery id, for the record only; truncated, and dropped if it has control characters. */
export function deliveryIdOf(rawHeaders: readonly string[]): string | undefined {
  const [id] = headerValues(rawHeaders, 'x-service-delivery-id');
  return id === undefined || id === '' || /\p{C}/u.test(id) ? undefined : id.slice(0, MAX_DELIVERY_ID);
}

/** Our clock minus the unsigned timestamp, in seconds; undefined if it is missing or no plain number. Decides nothing. */
export function skewSecondsOf(rawHeaders: readonly string[], nowMs: number): number | undefined {
  const [text] = headerValues(rawHeaders, 'x-service-timestamp');
  return text !== undefined && /^\d{9,11}$/.test(text) ? Math.round(nowMs / 1_000 - Number(text)) : undefined;
}

/**
 * Why a body of this media type is not taken. The headers are unsigned, so only the plainest reading is allowed: one
 * `application/json`, optional `charset=utf-8`, no content encoding (CVE-2026-21858 was a type confusion).
 */
export function mediaProblem(rawHeaders: readonly string[]): 'content-type' | 'content-encoding' | undefined {
  const types = headerValues(rawHeaders, 'content-type');
  const encodings = headerValues(rawHeaders, 'content-encoding');
  if (encodings.some((encoding) => encoding.trim().toLowerCase() !== 'identity')) return 'content-encoding';
  // A compressed transfer: Node decodes only `chunked`.
  const transfers = headerValues(rawHeaders, 'transfer-encoding');
  if (transfers.some((encoding) => encoding.trim().toLowerCase() !== 'chunked')) return 'content-encoding';
  const [type = ''] = types;
  return types.length === 1 && /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type.trim())
    ? undefined
    : 'content-type';
}
