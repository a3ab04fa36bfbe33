/** Reads CSV (RFC 4180, any separator of one character) as text; what a cell means is left to the caller. Pure. */
import type { Parsed } from '../../protocol/index.js';

/** One record: the line of the file on which it begins, counted from 1, and its cells. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Blank lines are no records. Quotes count only at the beginning of a cell. */
export function readCsv(given: string, separator: string): Parsed<readonly CsvRecord[]> {
  const text = given.replace(/^\uFEFF/, '');
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let line = 1;
  let began = 1;
  let at = 0;
  const endRecord = (): void => {
    if (cells.some((cell) => cell.trim() !== '')) records.push({ line: began, cells });
    cells = [];
    began = line;
  };
  while (at < text.length) {
    if (text[at] === '"') {
      const end = endOfQuotes(text, at);
      if (end === undefined) return { ok: false, problem: `line ${line}: a quoted cell has no end` };
      const cell = text.slice(at + 1, end).replaceAll('""', '"');
      line += cell.split('\n').length - 1;
      cells.push(cell);
      at = end + 1;
      if (at < text.length && text[at] !== separator && !isLineEnd(text[at])) {
        return { ok: false, problem: `line ${line}: text follows the end of a quoted cell` };
      }
    } else {
      let end = at;
      while (end < text.length && text[end] !== separator && !isLineEnd(text[end])) end += 1;
      cells.push(text.slice(at, end));
      at = end;
    }
    if (text[at] === separator) {
      at += 1;
      // The file, or the line, ends with an empty cell.
      if (at === text.length || isLineEnd(text[at])) cells.push('');
    }
    if (isLineEnd(text[at])) {
      at += text.startsWith('\r\n', at) ? 2 : 1;
      line += 1;
      endRecord();
    }
  }
  endRecord();
  return { ok: true, value: records };
}

function isLineEnd(character: string | undefined): boolean {
  return character === '\n' || character === '\r';
}

/** Place of the closing quote of the cell that begins at `start`. */
function endOfQuotes(text: string, start: number): number | undefined {
  let at = start + 1;
  for (;;) {
    at = text.indexOf('"', at);
    if (at === -1) return undefined;
    if (text[at + 1] !== '"') return at;
    at += 2;
  }
}
