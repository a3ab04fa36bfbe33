/** One record as the service wrote it (`data` of the envelope), without its raw copy, while it is small enough to travel. Pure. */
import { isJsonObject, readRecord, readRefreshStatus, readSummary, type JsonObject } from '../../contract/index.js';
import type { RecordReading, SummaryReading } from '../../protocol/index.js';
import type { ReadableAnswer } from './types.js';

const MAX_RECORD = 100_000;

export function readRecordItself({ body }: Pick<ReadableAnswer, 'body'>): RecordReading | undefined {
  const data = recordOf(body);
  if (data === undefined) return undefined;
  const { raw: _copy, ...record } = data;
  return Buffer.byteLength(JSON.stringify(record)) <= MAX_RECORD ? { record } : {};
}

/**
 * An envelope around nothing is an empty record, like one around `{}`: it is paid, and no other reading could find more in it. A text
 * or a list in place of a record is kept under its own name.
 */
function recordOf(body: unknown): JsonObject | undefined {
  const data = isJsonObject(body) ? body['data'] : undefined;
  if (data === null) return {};
  return typeof data === 'string' || Array.isArray(data) ? { data } : readRecord(body);
}

/**
 * A summary, or the end of the work that makes one: is it there, and if not, did the work fail? Reading it again is paid again: where
 * its text is in no known place, the word of its state counts, and without one whether it says anything at all.
 */
export function readSummaryState({ body, gaps }: ReadableAnswer): SummaryReading | undefined {
  const summary = readSummary({ data: recordOf(body) });
  const record = readRecordItself({ body });
  if (summary === undefined || record === undefined) return undefined;
  const { state, recognised, rawStatus } = readRefreshStatus(body, gaps);
  const word = rawStatus ?? summary.state;
  return {
    ...record,
    ready: summary.text !== null || (recognised ? state === 'done' : word === null && summary.hasWords),
    state,
    rawStatus: word,
    updatedAtMs: summary.updatedAtMs,
  };
}
