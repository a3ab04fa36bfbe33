/**
 * One line of a worker's journal: everything that its ledger row was opened with, so that a lost row can be written again.
 * Pure.
 */
import type { Intent } from '../intent.js';
import type { CallOfFlow } from '../lost-attempt.js';
import { jsonOfLine, toLine } from './sum-line.js';

/** A charged call as it was opened. */
export interface JournalEntry
  extends
    Omit<CallOfFlow, 'params' | 'body'>,
    Pick<Intent, 'intentId' | 'subject' | 'webhookExpected' | 'reserved' | 'openedAtMs'> {
  readonly budgetKey: string | null;
}

export function buildLine(entry: JournalEntry): string {
  return toLine(JSON.stringify(entry));
}

/** Undefined when the line is not whole: the process died while it was written, so nothing was sent for it. */
export function parseLine(line: string): JournalEntry | undefined {
  const json = jsonOfLine(line);
  return json === undefined ? undefined : (JSON.parse(json) as JournalEntry);
}
