/**
 * CSV that a spreadsheet may open (RFC 4180). A text that begins like a formula gets an apostrophe in front: workflow ids and
 * reasons come from outside, and a spreadsheet would run them. Numbers stay numbers. Pure.
 */

const FORMULA = /^[\s]*[=+\-@|%]|^[\t\r\n]/;
const NUMBER = /^-?\d+(\.\d+)?$/;
const NEEDS_QUOTES = /[",\r\n;]|^\s|\s$/;

/** `null` is an empty cell; objects are written as JSON. */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
