/** What one file of an answer log holds, and where. Pure. */
import { idInDamaged, parseAnswerLine } from './answer-line.js';

/** A line in its file, without its end. */
export interface Place {
  readonly at: number;
  readonly bytes: number;
}

export interface AnswerIndex {
  /** The last line of each answer; of one that is not whole any more, what there is of it. */
  readonly places: ReadonlyMap<string, Place>;
  /** Answers that the ledger has not got yet, with the time of their writing, epoch ms; 0 where one is not whole. */
  readonly open: ReadonlyMap<string, number>;
}

const LINE_END = 0x0a;
const BLANK = 0x20;

/** Of a line that has no end yet nobody was told. */
export function buildIndex(content: Buffer): AnswerIndex {
  const places = new Map<string, Place>();
  const open = new Map<string, number>();
  const settled: string[] = [];
  for (const { isEnded, ...place } of linesOf(content)) {
    if (!isEnded) continue;
    const text = content.toString('utf8', place.at, place.at + place.bytes);
    const line = parseAnswerLine(text);
    if (line?.kind === 'settled') {
      settled.push(line.intentId);
      continue;
    }
    const intentId = line?.answer.intentId ?? idInDamaged(text);
    if (intentId === undefined) continue;
    // A whole one counts before one that is not.
    if (line === undefined && places.has(intentId)) continue;
    places.set(intentId, place);
    open.set(intentId, line?.answer.atMs ?? 0);
  }
  for (const intentId of settled) open.delete(intentId);
  return { places, open };
}

/** Lines that are not blank. */
export function* linesOf(content: Buffer): Generator<Place & { readonly isEnded: boolean }> {
  for (let at = 0; at < content.length;) {
    const found = content.indexOf(LINE_END, at);
    const end = found === -1 ? content.length : found;
    if (end > at && content[at] !== BLANK) yield { at, bytes: end - at, isEnded: found !== -1 };
    at = end + 1;
  }
}
