/** Flags that describe the format of a statement → its form. Pure. */
import { usageError } from '../exit-codes.js';
import { createOffsetAt } from './local-time.js';
import { FIELDS, type Field, type StatementForm } from './statement.js';

export interface FormFlags {
  readonly columns?: readonly string[];
  readonly separator: string;
  readonly decimalComma?: boolean;
  readonly timeZone: string;
  readonly debits?: 'positive' | 'negative';
}

/** @throws a usage error that names the flag. */
export function statementForm({ columns = [], separator, decimalComma, timeZone, debits }: FormFlags): StatementForm {
  const character = separator === 'tab' ? '\t' : separator;
  if (character.length !== 1 || /["\r\n]/.test(character)) {
    throw usageError(`--separator: seen "${separator}"; expected one character, or "tab"`);
  }
  try {
    createOffsetAt(timeZone);
  } catch {
    throw usageError(`--time-zone: seen "${timeZone}"; expected a name like America/Sao_Paulo`);
  }
  const named: Partial<Record<Field, readonly string[]>> = {};
  for (const text of columns) {
    const [key, ...rest] = text.split('=');
    const name = rest.join('=');
    const field = FIELDS.find((known) => known === key);
    if (field === undefined || name.trim() === '') {
      throw usageError(`--columns: seen "${text}"; expected field=name with one of ${FIELDS.join(', ')}`);
    }
    if (named[field] !== undefined) throw usageError(`--columns: "${field}" is given twice`);
    named[field] = field === 'time' ? name.split('+') : [name];
  }
  return { columns: named, separator: character, decimalComma: decimalComma === true, timeZone, debits };
}
