/** One record as the service wrote it (`data` of the envelope), without its raw copy, while it is small enough to travel. Pure. */
import { readRecord, readRefreshStatus, readSummary } from '../../contract/index.js';
import type { RecordReading, SummaryReading } from '../../protocol/index.js';
import type { ReadableAnswer } from './types.js';

const MAX_RECORD = 100_000;

export function readRecordItself({ body }: Pick<ReadableAnswer, 'body'>): RecordReading | undefined {
  const data = readRecord(body);
  if (data === undefined) return undefined;
  const { raw: _copy, ...record } = data;
  return Buffer.byteLength(JSON.stringify(record)) <= MAX_RECORD ? { record } : {};
}

/** A summary, or the end of the work that makes one: is there a text, and if not, did the work fail? */
export function readSummaryState({ body, gaps }: ReadableAnswer): SummaryReading | undefined {
  const summary = readSummary(body);
  const record = readRecordItself({ body });
  if (summary === undefined || record === undefined) return undefined;
  const { state, rawStatus } = readRefreshStatus(body, gaps);
  return {
    ...record,
    ready: summary.text !== null,
    state,
    rawStatus: rawStatus ?? summary.state,
    updatedAtMs: summary.updatedAtMs,
  };
}
