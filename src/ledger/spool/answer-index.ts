/** What one file of an answer log holds, and where. Pure. */
import { idInDamaged, parseAnswerLine } from './answer-line.js';

/** A line in its file, without its end. */
export interface Place {
  readonly at: number;
  readonly bytes: number;
}

export interface AnswerIndex {
  /** The last one of each answer. */
  readonly answers: ReadonlyMap<string, Place & { readonly atMs: number }>;
  /** Answers that are not whole any more. */
  readonly damaged: ReadonlyMap<string, Place>;
  readonly settled: ReadonlySet<string>;
}

const LINE_END = 0x0a;
const BLANK = 0x20;

/** Answers of the file that the ledger has not got yet, with the time of their writing; 0 for damaged ones. */
export function openIn({ answers, damaged, settled }: AnswerIndex): ReadonlyMap<string, number> {
  const times = [...[...damaged.keys()].map((id) => [id, 0] as const)];
  const whole = [...answers].map(([id, { atMs }]) => [id, atMs] as const);
  return new Map([...times, ...whole].filter(([intentId]) => !settled.has(intentId)));
}

/** Of a line that has no end yet nobody was told. */
export function buildIndex(content: Buffer): AnswerIndex {
  const answers = new Map<string, Place & { readonly atMs: number }>();
  const damaged = new Map<string, Place>();
  const settled = new Set<string>();
  for (const { at, bytes, isEnded } of linesOf(content)) {
    if (!isEnded) continue;
    const text = content.toString('utf8', at, at + bytes);
    const line = parseAnswerLine(text);
    const damagedId = line === undefined ? idInDamaged(text) : undefined;
    if (damagedId !== undefined) damaged.set(damagedId, { at, bytes });
    if (line?.kind === 'settled') settled.add(line.intentId);
    if (line?.kind === 'answer') answers.set(line.answer.intentId, { at, bytes, atMs: line.answer.atMs });
  }
  return { answers, damaged, settled };
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
