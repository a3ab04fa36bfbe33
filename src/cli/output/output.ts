/** Printing for machines and for people. Machines get exactly one JSON value on stdout. */
import { createColors } from 'picocolors';
import type { CliContext } from '../context.js';
import { harmlessJson } from './harmless.js';

export const JSON_OPTION = ['--json', 'print one JSON value for machines'] as const;
export interface JsonFlag {
  readonly json?: boolean;
}

export function printJson(context: CliContext, value: unknown): void {
  context.out(`${harmlessJson(value, 2)}\n`);
}

export function printLine(context: CliContext, text: string): void {
  context.out(`${text}\n`);
}

/** One JSON value for machines, else text or lines for people. */
export function print(
  context: CliContext,
  json: boolean | undefined,
  value: unknown,
  text: string | readonly string[],
): void {
  if (json === true) printJson(context, value);
  else for (const line of [text].flat()) printLine(context, line);
}

export function colors(context: CliContext): ReturnType<typeof createColors> {
  return createColors(context.isTerminal && (context.env['NO_COLOR'] ?? '') === '');
}

/** Columns padded to their widest cell. Pure. */
export function formatTable(head: readonly string[], given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map((cell) => printable(cell, Infinity)));
  const widths = head.map((title, column) =>
    rows.reduce((most, row) => Math.max(most, (row[column] ?? '').length), title.length),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Names and ids come from outside: none of their control characters and line ends may reach a terminal. Pure. */
export function printable(text: string, most = 80): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?').slice(0, most);
}

/** One line that is overwritten on a terminal; elsewhere each change is a line. */
export function createStatusLine(context: CliContext): { show: (text: string) => void; clear: () => void } {
  let shown = '';
  return {
    show: (text) => {
      if (text === shown) return;
      shown = text;
      context.err(context.isTerminal ? `\r\u001b[K${text}` : `${text}\n`);
    },
    clear: () => {
      if (context.isTerminal && shown !== '') context.err('\r\u001b[K');
      shown = '';
    },
  };
}
