/** A summary, or the end of the work that makes one: is there a text, and if not, did the work fail? Pure. */
import { readRecord, readRefreshStatus, readSummary, type Json } from '../../contract/index.js';
import type { SummaryReading } from '../../protocol/index.js';
import { readRecordItself } from './record.js';
import type { ReadableAnswer } from './types.js';

export function readSummaryState(answer: ReadableAnswer): Json | undefined {
  const { body, gaps } = answer;
  const summary = readSummary(body);
  if (summary === undefined || readRecord(body) === undefined) return undefined;
  const { state, rawStatus } = readRefreshStatus(body, gaps);
  const reading: SummaryReading = {
    ...(readRecordItself(answer) as { readonly record?: SummaryReading['record'] & object }),
    ready: summary.text !== null,
    state,
    rawStatus: rawStatus ?? summary.state,
    updatedAtMs: summary.updatedAtMs,
  };
  return reading as unknown as Json;
}
