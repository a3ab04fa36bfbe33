/** Counts the canaries in some bytes and in the compressed data inside them: gzip, also within base64. Pure. */
import { constants, gunzipSync, inflateSync } from 'node:zlib';
import { CANARY_KINDS, type CanaryKind, type Needle } from './canaries.js';

export type Hits = Readonly<Record<CanaryKind, number>>;

const GZIP = Buffer.from([0x1f, 0x8b, 0x08]);
const BASE64 = /[A-Za-z0-9+/_-]{24,}={0,2}/g;
const MOST_UNPACKED = 32_000_000;

export function countHits(content: readonly Buffer[], needles: readonly Needle[]): Hits {
  const hits = Object.fromEntries(CANARY_KINDS.map((kind) => [kind, 0])) as Record<CanaryKind, number>;
  for (const bytes of content.flatMap(unpack)) {
    const exact = bytes.toString('latin1');
    const folded = exact.toLowerCase();
    for (const needle of needles) hits[needle.kind] += count(needle.exact ? exact : folded, latin1(needle.text));
  }
  return hits;
}

/** The lines (or the surrounding text) of the first hits of a kind, for the person who fixes the leak. */
export function showHits(content: readonly Buffer[], needles: readonly Needle[], most: number): readonly string[] {
  const found: string[] = [];
  for (const bytes of content.flatMap(unpack)) {
    const exact = bytes.toString('latin1');
    const folded = exact.toLowerCase();
    for (const needle of needles) {
      const at = (needle.exact ? exact : folded).indexOf(latin1(needle.text));
      if (at >= 0 && found.length < most) found.push(printable(bytes.subarray(Math.max(0, at - 300), at + 160)));
    }
  }
  return found;
}

function printable(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/[^\x20-\x7e\u00a1-\uffff]+/g, ' ');
}

/** Bytes as text of one character each, so that text in any encoding can be searched. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found += 1;
  return found;
}

/** The bytes, and each compressed stream in them, decompressed. */
function unpack(bytes: Buffer): readonly Buffer[] {
  const packed = (bytes.toString('latin1').match(BASE64) ?? []).flatMap((text) => {
    // Every gzip stream in base64 begins with `H4sI`; a zlib stream begins with `eJ`.
    if (!/^(?:H4sI|eJ)/.test(text)) return [];
    return unpackAt(Buffer.from(text, 'base64'), 0);
  });
  const streams: Buffer[] = [];
  for (let at = bytes.indexOf(GZIP); at >= 0; at = bytes.indexOf(GZIP, at + 1)) streams.push(...unpackAt(bytes, at));
  return [bytes, ...packed, ...streams];
}

function unpackAt(bytes: Buffer, at: number): readonly Buffer[] {
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MOST_UNPACKED };
  const stream = bytes.subarray(at);
  try {
    return [stream.indexOf(GZIP) === 0 ? gunzipSync(stream, options) : inflateSync(stream, options)];
  } catch {
    // It only looked like a compressed stream.
    return [];
  }
}
