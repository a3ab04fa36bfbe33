/**
 * Columns of a domain record: where a value may be and how it is read. Every name is tried in camel and in snake case.
 * Readers give undefined for what they cannot read; nothing throws.
 */
import { textOf, isJsonObject, firstAt } from '../json.js';
import { readCivilDate, readInstantMs } from '../service-time.js';
import {
  cnjDigits,
  isProbeCnj,
  parseOab,
  readServiceAmount,
  type Amount,
  type CivilDate,
  type OabKey,
} from '../values/index.js';

export interface Field<T> {
  readonly places: readonly Place[];
  readonly read: (value: unknown) => T | undefined;
  /** True when its absence is drift. */
  readonly key: boolean;
}

export interface Place {
  /** Members from the record down. */
  readonly path: readonly string[];
  /** The path in snake case: camel and snake case of one member count as one place. */
  readonly spelled: string;
}

type Make<T> = (...paths: readonly string[]) => Field<T>;

function make<T>(read: (value: unknown) => T | undefined): Make<T> {
  return (...paths) => ({ places: inBothSpellings(...paths).map(placeAt), read, key: false });
}

/** A place from a dotted path. */
export function placeAt(path: string): Place {
  return { path: path.split('.'), spelled: toSnake(path) };
}

/** Marks a column without which the record is hard to use. */
export function key<T>(field: Field<T>): Field<T> {
  return { ...field, key: true };
}

/** Text; of an object its name, acronym or description. */
export const text = make(readText);
/** Whole text as sent, blanks included; for contents. */
export const content = make((value) => (typeof value === 'string' && value !== '' ? value : undefined));
/** Twenty digits. Check digits are not checked: data is not dropped for them. */
export const cnj = make((value) => {
  const digits = typeof value === 'string' ? cnjDigits(value) : undefined;
  return digits === undefined || isProbeCnj(digits) ? undefined : digits;
});
export const day: Make<CivilDate> = make(readCivilDate);
/** Epoch ms; a day without a time is not read. */
export const instantMs = make(readInstantMs);
export const count = make(readCount);
export const amount: Make<Amount> = make(readMoney);
export const flag = make(readFlag);
export const oab: Make<OabKey> = make((value) => {
  const read = parseOab(value);
  return read.ok ? read.key : undefined;
});

/** These names, each once, and each in snake case too. */
export function inBothSpellings(...paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => [path, toSnake(path)]))];
}

/** `numeroCnj` → `numero_cnj`, segment by segment. */
function toSnake(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function readText(value: unknown): string | undefined {
  if (isJsonObject(value)) return firstAt(value, ['nome', 'name', 'sigla', 'descricao'], textOf);
  return textOf(value);
}

export function readCount(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

const YES = /^(?:1|true|s|sim|ativ(?:ad)?[oa]|active|enabled)$/i;
const NO = /^(?:0|false|n|n[aã]o|(?:inativ|desativad|cancelad|encerrad)[oa]|inactive|deactivated|disabled)$/i;

export function readFlag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const word = textOf(value) ?? '';
  return YES.test(word) ? true : NO.test(word) ? false : undefined;
}

/** An amount as the service writes it, or an object that holds one as `valor` or `valorFormatado`. */
function readMoney(value: unknown): Amount | undefined {
  if (isJsonObject(value)) return firstAt(value, ['valor', 'valorFormatado', 'valor_formatado'], readServiceAmount);
  return readServiceAmount(value);
}
