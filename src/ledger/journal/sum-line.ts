/** A line of JSON after its checksum, which shows whether the line was cut or changed. Pure. */
import { createHash } from 'node:crypto';

const SUM_LENGTH = 16;
export const LINE_END = 0x0a;
const BLANK = 0x20;

/** Position of a line in its file, without the line end. */
export interface Place {
  readonly at: number;
  readonly bytes: number;
}

/** The lines that are not blank. A line that a power cut left half blank is not blank. */
export function* linesOf(content: Buffer): Generator<Place & { readonly isEnded: boolean }> {
  for (let at = 0; at < content.length;) {
    const found = content.indexOf(LINE_END, at);
    const end = found === -1 ? content.length : found;
    if (!isBlank(content, at, end)) yield { at, bytes: end - at, isEnded: found !== -1 };
    at = end + 1;
  }
}

function isBlank(content: Buffer, from: number, end: number): boolean {
  let at = from;
  while (at < end && content[at] === BLANK) at += 1;
  return at === end;
}

export function toLine(json: string): string {
  return `${sumOf(json)} ${json}\n`;
}

/** The JSON of a line (without its end); undefined when the line is not whole. */
export function jsonOfLine(line: string): string | undefined {
  const json = line.slice(SUM_LENGTH + 1);
  return line.slice(0, SUM_LENGTH) === sumOf(json) ? json : undefined;
}

/**
 * Changes a line to another text of the same length in bytes, so that it can be overwritten in place while a process appends
 * after it. A damaged line stays damaged.
 */
export function changeLine(line: string, change: (json: string) => string): string {
  const json = line.slice(SUM_LENGTH + 1);
  const changed = change(json);
  if (changed === json) return line;
  if (Buffer.byteLength(changed) !== Buffer.byteLength(json)) {
    throw new Error('tramita: a line of the journal may only be changed into one of the same length');
  }
  return `${jsonOfLine(line) === undefined ? line.slice(0, SUM_LENGTH) : sumOf(changed)} ${changed}`;
}

function sumOf(json: string): string {
  return createHash('sha256').update(json).digest('hex').slice(0, SUM_LENGTH);
}
