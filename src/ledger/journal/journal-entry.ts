/**
 * One line of a worker's journal: everything that its ledger row was opened with, so that a lost row can be written again.
 * A line that was cut or changed is told from a whole one. Pure.
 */
import { createHash } from 'node:crypto';
import type { Amount, FlagName } from '../../contract/index.js';
import type { StepKey } from '../../protocol/index.js';

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

const SUM_LENGTH = 16;

export function buildLine(entry: JournalEntry): string {
  const json = JSON.stringify(entry);
  return `${sumOf(json)} ${json}\n`;
}

/** Undefined when the line is not whole: the process died while it was written, so nothing was sent for it. */
export function parseLine(line: string): JournalEntry | undefined {
  const json = line.slice(SUM_LENGTH + 1);
  if (line.slice(0, SUM_LENGTH) !== sumOf(json)) return undefined;
  return JSON.parse(json) as JournalEntry;
}

/**
 * The line with other words of the same length in bytes, so that it can be written over itself while a process appends behind
 * it. A line that is not whole stays so.
 */
export function changeLine(line: string, change: (json: string) => string): string {
  const json = line.slice(SUM_LENGTH + 1);
  const changed = change(json);
  if (changed === json) return line;
  if (Buffer.byteLength(changed) !== Buffer.byteLength(json)) {
    throw new Error('tramita: a line of the journal may only be changed into one of the same length');
  }
  return `${parseLine(line) === undefined ? line.slice(0, SUM_LENGTH) : sumOf(changed)} ${changed}`;
}

function sumOf(json: string): string {
  return createHash('sha256').update(json).digest('hex').slice(0, SUM_LENGTH);
}
