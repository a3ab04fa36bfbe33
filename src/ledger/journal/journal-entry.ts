/**
 * One line of a worker's journal: everything that its ledger row was opened with, so that a lost row can be written again.
 * Pure.
 */
import type { Amount, FlagName } from '../../contract/index.js';
import type { StepKey } from '../../protocol/index.js';
import { jsonOfLine, toLine } from './sum-line.js';

/** A charged call as it was opened. */
export interface JournalEntry extends StepKey {
  readonly intentId: string;
  readonly account: string;
  readonly operation: string;
  readonly subject: string;
  readonly workflowType: string;
  readonly once: string | null;
  readonly budgetKey: string | null;
  readonly flags: readonly FlagName[];
  readonly webhookExpected: boolean;
  readonly waiterKeys: readonly string[];
  readonly reserved: Amount;
  readonly openedAtMs: number;
}

export function buildLine(entry: JournalEntry): string {
  return toLine(JSON.stringify(entry));
}

/** Undefined when the line is not whole: the process died while it was written, so nothing was sent for it. */
export function parseLine(line: string): JournalEntry | undefined {
  const json = jsonOfLine(line);
  return json === undefined ? undefined : (JSON.parse(json) as JournalEntry);
}
