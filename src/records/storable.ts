/** What PostgreSQL can store of a text: every character but U+0000, and no half of a surrogate pair. Pure. */
import { hash } from 'node:crypto';
import type { Json } from '../contract/index.js';

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export function storable(text: string | undefined): string | null {
  return text === undefined ? null : text.replace(LONE_SURROGATE, '\ufffd').replaceAll('\0', '');
}

/** JSON escapes both; it may also see one where there is none. */
const MAY_BE_UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/** A JSON value, the same one where all of it can be stored. */
export function storableJson<T>(value: T): T {
  return MAY_BE_UNSTORABLE.test(JSON.stringify(value)) ? (withStorableTexts(value) as T) : value;
}

/** {@link storableJson} as text. */
export function storableText(value: object | Json): string {
  const text = JSON.stringify(value);
  return MAY_BE_UNSTORABLE.test(text) ? JSON.stringify(withStorableTexts(value)) : text;
}

function withStorableTexts(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(withStorableTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storable(name), withStorableTexts(member)]));
}

/** Hash of a value as JSON: a row whose content has the same hash is not written again. */
export function contentHash(value: unknown): string {
  return hashOfText(JSON.stringify(value ?? null));
}

export function hashOfText(text: string): string {
  return hash('sha256', text);
}
