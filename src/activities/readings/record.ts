/** One record as the service wrote it (`data` of the envelope), without its raw copy, while it is small enough to travel. Pure. */
import { readRecord, type Json } from '../../contract/index.js';
import type { ReadableAnswer } from './types.js';

const MAX_RECORD = 100_000;

export function readRecordItself({ body }: ReadableAnswer): Json | undefined {
  const data = readRecord(body);
  if (data === undefined) return undefined;
  const { raw: _copy, ...record } = data;
  return Buffer.byteLength(JSON.stringify(record)) <= MAX_RECORD ? { record } : {};
}
