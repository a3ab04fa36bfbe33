/** One record as the service wrote it (`data` of the envelope) without its raw copy, if it is small enough for a history. Pure. */
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
 * An envelope with `data: null` is an empty record, like one with `{}`: it is paid, and no other reading could find more in it. A
 * text or a list instead of a record stays under `data`.
 */
function recordOf(body: unknown): JsonObject | undefined {
  const data = isJsonObject(body) ? body['data'] : undefined;
  if (data === null) return {};
  return typeof data === 'string' || Array.isArray(data) ? { data } : readRecord(body);
}

/**
 * Whether a summary, or the work that makes one, is ready, and if not, whether the work failed. Reading it again would be paid
 * again: if its text is in no known place, its status word counts, and without one whether it holds any words at all.
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
