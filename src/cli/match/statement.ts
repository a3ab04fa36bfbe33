/** Reads the statement of the service from a CSV file with named columns. Problems never quote a row's cell. Pure. */
import { formatAmount, type Amount } from '../../contract/index.js';
import { usageError } from '../exit-codes.js';
import { readCsv, type CsvRecord } from '../input/read-csv.js';
import { createOffsetAt, readLocalTime, type Span } from './local-time.js';
import { lastPlace, readStatementAmount, type StatementAmount } from './statement-amount.js';

export interface StatementRow extends Span {
  /** Line of the file. */
  readonly line: number;
  /** Money taken; negative if it was given back or paid in. */
  readonly amount: Amount;
  /** What the statement calls the operation. Never printed: it may describe a case or a person. */
  readonly label: string | undefined;
  /** `meta.searchLogId` of the answer, lower case. */
  readonly logId: string | undefined;
  /** `meta.requestId` of the answer, or the id of pending work; lower case. */
  readonly requestId: string | undefined;
}

export interface Statement {
  readonly rows: readonly StatementRow[];
  /** How many rows were left out because they repeat another one. */
  readonly duplicates: number;
  /** Amounts that differ by less may be equal; in 1/10,000. */
  readonly rounding: number;
}

export const FIELDS = ['time', 'amount', 'operation', 'logId', 'requestId'] as const;
export type Field = (typeof FIELDS)[number];

export interface StatementForm {
  /** Names of the columns of a field; `time` may have two, a day and a time. */
  readonly columns: Readonly<Partial<Record<Field, readonly string[]>>>;
  readonly separator: string;
  readonly decimalComma: boolean;
  /** IANA name of the zone of times without an offset. */
  readonly timeZone: string;
  /** Sign of money taken; may be left out if all amounts have the same sign. */
  readonly debits?: 'positive' | 'negative' | undefined;
}

const SHOWN_PROBLEMS = 5;

/**
 * A row that cannot be read fails the whole file: it may be the very charge in question.
 *
 * @throws a usage error with every problem.
 */
export function readStatement(text: string, form: StatementForm): Statement {
  const csv = readCsv(text, form.separator);
  if (!csv.ok) throw usageError(csv.problem);
  const [head, ...records] = csv.value;
  if (head === undefined || records.length === 0) throw usageError('the file has no rows');
  const seen = new Set<string>();
  const read: (StatementRow & StatementAmount)[] = [];
  const problems: string[] = [];
  let duplicates = 0;
  const readRow = rowReader(head, findColumns(head, form), form);
  for (const record of records) {
    const row = readRow(record);
    const whole = record.cells.join('\u0000');
    if (typeof row === 'string') problems.push(`line ${record.line}: ${row}`);
    else if (row.logId !== undefined && seen.has(whole)) duplicates += 1;
    else read.push(row);
    seen.add(whole);
  }
  const sign = signOf(read, form.debits);
  if (sign === undefined) {
    problems.push('amounts have both signs; say which ones are debits: --debits positive or --debits negative');
  }
  if (problems.length > 0) {
    const more = problems.length - SHOWN_PROBLEMS;
    throw usageError([...problems.slice(0, SHOWN_PROBLEMS), ...(more > 0 ? [`… ${more} more`] : [])].join('\n'));
  }
  const rows = read.map(({ places: _places, ...row }) => ({ ...row, amount: (row.amount * (sign ?? 1)) as Amount }));
  const mostPlaces = read.reduce((most, row) => Math.max(most, row.places), 0);
  return { rows, duplicates, rounding: lastPlace(mostPlaces) };
}

/** Returns a function that reads one record, or says why it cannot be read. */
function rowReader(
  head: CsvRecord,
  indexes: ColumnIndexes,
  { timeZone, decimalComma }: StatementForm,
): (record: CsvRecord) => (StatementRow & StatementAmount) | string {
  const offsetAt = createOffsetAt(timeZone);
  return ({ line, cells }) => {
    const textOf = (field: Field): string =>
      (indexes[field] ?? [])
        .map((at) => cells[at]?.trim() ?? '')
        .join(' ')
        .trim();
    const id = (field: Field): string | undefined => textOf(field).toLowerCase() || undefined;
    if (cells.length !== head.cells.length) return `it has ${cells.length} cells, the first line ${head.cells.length}`;
    const span = readLocalTime(textOf('time'), offsetAt);
    if (span === undefined) return 'the time cannot be read';
    const money = readStatementAmount(textOf('amount'), decimalComma);
    if (money === undefined) return 'the amount cannot be read; is --decimal-comma right?';
    return { line, ...span, ...money, label: id('operation'), logId: id('logId'), requestId: id('requestId') };
  };
}

/** The factor that makes money taken positive. Undefined if the amounts have both signs and `debits` is not given. */
function signOf(rows: readonly StatementAmount[], debits: StatementForm['debits']): 1 | -1 | undefined {
  if (debits !== undefined) return debits === 'positive' ? 1 : -1;
  const positive = rows.some(({ amount }) => amount > 0);
  const negative = rows.some(({ amount }) => amount < 0);
  if (positive && negative) return undefined;
  return negative ? -1 : 1;
}

type ColumnIndexes = Readonly<Partial<Record<Field, readonly number[]>>>;

function findColumns({ cells }: CsvRecord, { columns, separator }: StatementForm): ColumnIndexes {
  const titles = cells.map((cell) => cell.trim().toLowerCase());
  const problems: string[] = [];
  const indexes: Partial<Record<Field, readonly number[]>> = {};
  for (const field of FIELDS) {
    const names = columns[field] ?? [field];
    const at = names.map((name) => titles.indexOf(name.trim().toLowerCase()));
    const missing = names.filter((_, index) => at[index] === -1);
    const twice = names.filter((name) => titles.filter((other) => other === name.trim().toLowerCase()).length > 1);
    const needed = columns[field] !== undefined || field === 'time' || field === 'amount';
    if (twice.length > 0) problems.push(`column "${twice.join('", "')}" appears twice in the first line`);
    else if (missing.length === 0) indexes[field] = at;
    else if (needed) problems.push(`no column "${missing.join('", "')}" for ${field}; name it: --columns ${field}=…`);
  }
  if (problems.length > 0 && cells.length === 1)
    problems.push(`there is only one column; is --separator "${separator}" right?`);
  if (problems.length > 0) throw usageError(problems.join('\n'));
  return indexes;
}

/** Money taken by all these rows together. */
export function sumOf(rows: readonly StatementRow[]): Amount {
  return rows.reduce((sum, { amount }) => sum + amount, 0) as Amount;
}

/** A row as a report may show it, without its texts. */
export function rowJson({ line, fromMs, amount }: StatementRow): object {
  return { line, at: new Date(fromMs).toISOString(), amount: formatAmount(amount) };
}
