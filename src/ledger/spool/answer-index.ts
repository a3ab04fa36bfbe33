/** What one file of an answer log holds, and where. Pure. */
import { linesOf, type Place } from '../journal/sum-line.js';
import { idInDamaged, parseAnswerLine } from './answer-line.js';

export interface AnswerIndex {
  /** The last line of each answer; of one that is not whole any more, what there is of it. */
  readonly places: ReadonlyMap<string, Place>;
  /** Answers that the ledger has not got yet, with the time of their writing, epoch ms; 0 where one is not whole. */
  readonly open: ReadonlyMap<string, number>;
  /** Behind its last line that has an end. */
  readonly end: number;
}

const LINE_END = 0x0a;

/** Of a line that has no end yet nobody has heard. `content` is what follows behind the end of `before`. */
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
    // A whole one counts before one that is not.
    if (line === undefined && places.has(intentId)) continue;
    places.set(intentId, { at: began + at, bytes });
    open.set(intentId, line?.answer.atMs ?? 0);
  }
  return { places, open, end: began + content.lastIndexOf(LINE_END) + 1 };
}
