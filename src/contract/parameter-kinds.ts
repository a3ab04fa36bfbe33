/**
 * Kinds of parameters: what a caller may write, and the one spelling that is sent. Pure, without zod. Strict, because a bad
 * input costs money. A problem repeats the value only of kinds that identify nobody; others may be a person's number.
 */
import {
  formatOab,
  formatOabQuery,
  parseAmount,
  formatAmount,
  outlineOf,
  MAX_REGISTRATIONS,
  parseCivilDate,
  parseCnj,
  parseCpfCnpj,
  parseOab,
  parseRequestId,
  shownJson,
  UFS,
} from './values/index.js';

/** What a parameter is; it decides how a value is checked and spelled. */
export type ParameterKind =
  | 'cnj'
  | 'request id'
  | 'cpf or cnpj'
  | 'oab number'
  | 'oab state'
  | 'oab list'
  | 'civil date'
  | 'year'
  | 'positive integer'
  | 'amount'
  | 'text'
  | 'text list'
  | 'choice'
  | 'id'
  | 'id list'
  | 'webhook url';

/** What callers give: lists as arrays, or comma-separated where the service itself writes them so (`oab list`). */
export type ParameterValue = string | number | boolean | readonly (string | number)[];
/** Arguments of a call by the service's names. */
export type Parameters = Readonly<Record<string, ParameterValue>>;

/** What is sent: text in path and query, JSON in the body. Ids keep their type: a body may want them as numbers. */
export type WireValue = string | readonly (string | number)[];

/** A value in the one spelling that is sent, or what is wrong with it. */
export type ValueRead =
  { readonly ok: true; readonly value: WireValue } | { readonly ok: false; readonly problem: string };

/** Longest text that a query may carry; longer ones are mistakes, and servers refuse long request lines. */
const MAX_TEXT = 2_000;
const MAX_LIST = 200;
/** Lone surrogates cannot be percent-encoded; control characters must not appear in a request. */
const UNSENDABLE = /[\p{Cc}\p{Cs}]/u;

type Reader = (value: ParameterValue, values: readonly string[]) => ValueRead;

const READERS: Readonly<Record<ParameterKind, Reader>> = {
  cnj: (value) => {
    const read = parseCnj(value);
    return read.ok ? good(read.cnj) : read;
  },
  'request id': (value) => from(parseRequestId(value), 'must be a UUID'),
  'cpf or cnpj': (value) => parseCpfCnpj(value),
  'oab number': (value) => from(/^0{0,6}([1-9]\d{0,6})$/.exec(scalar(value))?.[1], 'must be a number of 1 to 7 digits'),
  'oab state': (value) => {
    const state = scalar(value).toUpperCase();
    return from(UFS.includes(state) ? state : undefined, 'must be a state of two letters, like SP');
  },
  'oab list': (value) => list(typeof value === 'string' ? value.split(',') : value, oab, { most: MAX_REGISTRATIONS }),
  'civil date': (value) => from(parseCivilDate(value), 'must be a day written yyyy-MM-dd'),
  year: (value) => from(/^(?:19|20)\d{2}$/.exec(scalar(value))?.[0], 'must be a year, like 2027'),
  'positive integer': (value) => from(/^[1-9]\d{0,8}$/.exec(scalar(value))?.[0], 'must be a positive integer'),
  amount: (value) => {
    const amount = parseAmount(scalar(value));
    return from(
      amount === undefined ? undefined : formatAmount(amount),
      'must be a decimal with a dot and at most four places',
    );
  },
  text,
  'text list': (value) => list(typeof value === 'string' ? [value] : value, (item) => text(item)),
  choice: (value, values) =>
    from(
      values.find((known) => known === value),
      `must be one of: ${values.join(', ')}`,
    ),
  id,
  'id list': (value) => list(value, id, { keepAsIs: Number.isSafeInteger }),
  'webhook url': (value) =>
    from(
      typeof value === 'string' && /^https:\/\/[^\s/?#@\\]+(?:[/?][^\s#\\]*)?$/i.test(value) && value.length <= MAX_TEXT
        ? value
        : undefined,
      'must be an https URL without user, password or fragment',
    ),
};

/** Kinds whose values identify nobody. */
const SHOWN: ReadonlySet<ParameterKind> = new Set([
  ...(['cnj', 'request id', 'oab state', 'civil date'] as const),
  ...(['year', 'positive integer', 'amount', 'choice'] as const),
]);

/** A value as a problem may show it. */
export function seenValue(kind: ParameterKind, value: unknown): string {
  return SHOWN.has(kind) ? shownJson(value) : outlineOf(value);
}

/** Checks `value` and brings it into the form that is sent. */
export function readValue(kind: ParameterKind, value: ParameterValue, values: readonly string[] = []): ValueRead {
  return READERS[kind](value, values);
}

function oab(value: ParameterValue): ValueRead {
  const read = parseOab(value);
  if (!read.ok) return read;
  // The query form has no place for a suffix: without it, another person's registration would be asked for.
  if (read.oab.sufixo !== undefined) {
    return bad(`has ${formatOab(read.oab).slice(-2)}: the service takes UF:number only`);
  }
  return good(formatOabQuery(read.oab));
}

function text(value: ParameterValue): ValueRead {
  const plain = scalar(value);
  if (plain === '') return bad('must be text that is not empty');
  if (plain.length > MAX_TEXT) return bad(`must be at most ${MAX_TEXT} characters`);
  return UNSENDABLE.test(plain) ? bad('must not have control characters') : good(plain);
}

/** One path segment. `.` and `..` are refused: every URL parser on the way resolves them, however they are encoded. */
function id(value: ParameterValue): ValueRead {
  const plain = scalar(value);
  const odd = plain === '' || plain.length > 200 || /^\.{1,2}$/.test(plain) || UNSENDABLE.test(plain);
  return odd ? bad('must be an id of at most 200 characters') : good(plain);
}

function list(
  value: ParameterValue,
  readItem: (item: ParameterValue) => ValueRead,
  {
    most = MAX_LIST,
    keepAsIs = () => false,
  }: { readonly most?: number; readonly keepAsIs?: (item: unknown) => boolean } = {},
): ValueRead {
  if (!Array.isArray(value)) return bad('must be a list');
  const items = value as readonly (string | number)[];
  if (items.length === 0 || items.length > most) return bad(`must have 1 to ${most} entries`);
  const sent: (string | number)[] = [];
  for (const [index, item] of items.entries()) {
    const read = readItem(item);
    if (!read.ok) return bad(`entry ${index + 1} ${read.problem}`);
    sent.push(keepAsIs(item) ? item : String(read.value));
  }
  return good([...new Set(sent)]);
}

/** Text of a string or a number; empty, and so refused, for anything else. */
function scalar(value: ParameterValue): string {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  return typeof value === 'string' ? value.trim() : '';
}

function from(value: string | undefined, problem: string): ValueRead {
  return value === undefined ? bad(problem) : good(value);
}

function good(value: WireValue): ValueRead {
  return { ok: true, value };
}

function bad(problem: string): ValueRead {
  return { ok: false, problem };
}
