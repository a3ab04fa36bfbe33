/** Which answers one file of an answer log has, and where. Pure. */
import { LINE_END, linesOf, type Place } from '../journal/sum-line.js';
import { idInDamaged, parseAnswerLine } from './answer-line.js';

export interface AnswerIndex {
  /** The last intact line of each answer; of a damaged one, what is left of it. */
  readonly places: ReadonlyMap<string, Place>;
  /** Answers that the ledger does not have yet, with the time of their writing, epoch ms; 0 for a damaged one. */
  readonly open: ReadonlyMap<string, number>;
  /** Offset after the last line that has an end. */
  readonly end: number;
}

/** Indexes `content`, which follows the end of `before`. A line without an end does not count: its write was not confirmed. */
export function buildIndex(content: Buffer, before?: AnswerIndex): AnswerIndex {
  const places = new Map(before?.places);
  const open = new Map(before?.open);
  const began = before?.end ?? 0;
  for (const { isEnded, at, bytes } of linesOf(content)) {
    if (!isEnded) continue;
    const text = content.toString('utf8', at, at + bytes);
    const line = parseAnswerLine(text);
    if (line?.kind === 'settled') {
      open.delete(line.intentId);
      continue;
    }
    const intentId = line?.answer.intentId ?? idInDamaged(text);
    if (intentId === undefined) continue;
    // An intact line takes precedence over a damaged one.
    if (line === undefined && places.has(intentId)) continue;
    places.set(intentId, { at: began + at, bytes });
    open.set(intentId, line?.answer.atMs ?? 0);
  }
  return { places, open, end: began + content.lastIndexOf(LINE_END) + 1 };
}
