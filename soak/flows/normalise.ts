/**
 * A result without the values that always differ between two runs of the same flow: ids, instants, receipts, the balance and
 * the address of the service. What was found, counted, stored and said remains. Pure.
 */
import { isJsonObject, type Json } from '../../src/contract/index.js';

/** Receipts and money are compared one by one; the other members belong to a single call. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['receipts', 'spent', 'metaRequestId', 'searchLogId', 'requestId', 'creditsRemaining', 'bodySha256', 'servedAt'],
]);
const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi;
const INSTANT = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?/g;
const ORIGIN = /https?:\/\/(127\.0\.0\.1|localhost):\d+/g;

export function normalise(value: Json): Json {
  if (typeof value === 'string')
    return value.replace(UUID, '<id>').replace(INSTANT, '<time>').replace(ORIGIN, '<origin>');
  if (Array.isArray(value)) return value.map(normalise);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value)
    .filter(([name]) => !LEFT_OUT.has(name))
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, normalise(member)]));
}

/** The first place where two normalised values differ, in a form for people; undefined when they are equal. */
export function difference(left: Json | undefined, right: Json | undefined, path = 'result'): string | undefined {
  if (isJsonObject(left) && isJsonObject(right)) {
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const found = difference(left[name], right[name], `${path}.${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const [a, b] = [textOf(left), textOf(right)];
  return a === b ? undefined : `${path}: ${a.slice(0, 200)} and ${b.slice(0, 200)}`;
}

function textOf(value: Json | undefined): string {
  return value === undefined ? 'absent' : JSON.stringify(value);
}
