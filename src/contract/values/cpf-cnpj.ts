/**
 * CPF and CNPJ, numeric and alphanumeric. Pure.
 *
 * The library checks digits and refuses repeated ones, but accepts separators in odd places, so it comes last: trim,
 * upper-case, mask, strip, check. Problems never repeat the value: it may be a person's.
 */
import { isValidCnpj } from '@brazilian-utils/brazilian-utils/is-valid-cnpj';
import { isValidCpf } from '@brazilian-utils/brazilian-utils/is-valid-cpf';
import { parseCivilDate } from './civil-date.js';

declare const cpfBrand: unique symbol;
declare const cnpjBrand: unique symbol;

/** Eleven digits. */
export type Cpf = string & { readonly [cpfBrand]: true };
/** Fourteen characters: twelve of `0-9A-Z`, two digits. */
export type Cnpj = string & { readonly [cnpjBrand]: true };

/** A CPF, or what is wrong with it. */
export type CpfParse = { readonly ok: true; readonly cpf: Cpf } | { readonly ok: false; readonly problem: string };
/** A CNPJ, or what is wrong with it. */
export type CnpjParse = { readonly ok: true; readonly cnpj: Cnpj } | { readonly ok: false; readonly problem: string };
/** A CPF or a CNPJ, or what is wrong with it. */
export type CpfCnpjParse =
  | { readonly ok: true; readonly kind: 'cpf'; readonly value: Cpf }
  | { readonly ok: true; readonly kind: 'cnpj'; readonly value: Cnpj }
  | { readonly ok: false; readonly problem: string };

const CPF_MASK = /^(?:\d{11}|\d{3}\.\d{3}\.\d{3}-\d{2})$/;
/** Each separator may be there or not, but only in its place. */
const CNPJ_MASK = /^[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}\/?[0-9A-Z]{4}-?\d{2}$/;

/** Reads a CPF, with or without its mask. */
export function parseCpf(value: unknown): CpfParse {
  const plain = textOf(value);
  if (plain === undefined || !CPF_MASK.test(plain)) return { ok: false, problem: 'must be a CPF: 11 digits' };
  const digits = plain.replace(/[.-]/g, '');
  if (!isValidCpf(digits)) return { ok: false, problem: 'is a CPF with wrong check digits' };
  return { ok: true, cpf: digits as Cpf };
}

/** Reads a CNPJ, with or without its mask. */
export function parseCnpj(value: unknown): CnpjParse {
  const plain = textOf(value)?.toUpperCase();
  if (plain === undefined || !CNPJ_MASK.test(plain)) {
    return { ok: false, problem: 'must be a CNPJ: 12 digits or letters and 2 digits' };
  }
  const stripped = plain.replace(/[./-]/g, '');
  if (!isValidCnpj(stripped, { version: 2 })) {
    return { ok: false, problem: 'is a CNPJ with wrong check digits' };
  }
  return { ok: true, cnpj: stripped as Cnpj };
}

/** Reads a CPF or a CNPJ, by length. */
export function parseCpfCnpj(value: unknown): CpfCnpjParse {
  const length = textOf(value)?.replace(/[./-]/g, '').length;
  if (length === 11) {
    const read = parseCpf(value);
    return read.ok ? { ok: true, kind: 'cpf', value: read.cpf } : read;
  }
  if (length === 14) {
    const read = parseCnpj(value);
    return read.ok ? { ok: true, kind: 'cnpj', value: read.cnpj } : read;
  }
  return { ok: false, problem: 'must be a CPF (11 digits) or a CNPJ (14 characters), as a string' };
}

/** UUIDs and hashes, parts of which may look like a person's number by chance. */
const MACHINE_IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![0-9a-z])[0-9a-f]{32,}(?![0-9a-z])/gi;
/** Eleven digits, no more, bare or in groups. */
const CPF_INSIDE = /(?<!\d)\d{3}[ .]?\d{3}[ .]?\d{3}[ -]?\d{2}(?!\d)/g;
/** Fourteen digits; fourteen digits and letters as a word of their own; or digits and letters with the mask. */
const CNPJ_INSIDE = [
  /(?<!\d)\d{2}[ .]?\d{3}[ .]?\d{3}[ /]?\d{4}[ -]?\d{2}(?!\d)/g,
  /(?<![0-9A-Za-z])[0-9A-Za-z]{12}\d{2}(?![0-9A-Za-z])/g,
  /[0-9A-Za-z]{2}\.[0-9A-Za-z]{3}\.[0-9A-Za-z]{3}\/?[0-9A-Za-z]{4}-?\d{2}(?!\d)/g,
];

/** A time of fourteen digits: year, month, day, hour, minute, second. `0001`, the branch of most companies, is not a time. */
const TIME = /^(20\d\d)(\d\d)(\d\d) ?(?!0001)(?:[01]\d|2[0-3])[0-5]\d[0-5]\d$/;
/** Mixed case is a token: nobody writes a CNPJ that way. */
const BOTH_CASES = /[a-z].*[A-Z]|[A-Z].*[a-z]/;

/**
 * True when the text has a CPF or CNPJ with right check digits anywhere, formatted or bare. UUIDs, hashes and times of
 * fourteen digits do not count.
 */
export function holdsCpfOrCnpj(text: string): boolean {
  const rest = text.replace(MACHINE_IDS, '~');
  const holds = (form: RegExp, isValid: (plain: string) => boolean): boolean =>
    (rest.match(form) ?? []).some(
      (match) => !isTime(match) && !BOTH_CASES.test(match) && isValid(match.replace(/[ ./-]/g, '')),
    );
  return (
    holds(CPF_INSIDE, (plain) => parseCpf(plain).ok) ||
    CNPJ_INSIDE.some((form) => holds(form, (plain) => parseCnpj(plain).ok))
  );
}

function isTime(text: string): boolean {
  const [, year = '', month = '', day = ''] = TIME.exec(text) ?? [];
  return parseCivilDate(`${year}-${month}-${day}`) !== undefined;
}

/** `123.456.789-09`. */
export function formatCpf(digits: string): string {
  return digits.replace(/^(.{3})(.{3})(.{3})(.{2})$/, '$1.$2.$3-$4');
}

/** `12.ABC.345/01DE-35`. */
export function formatCnpj(text: string): string {
  return text.replace(/^(.{2})(.{3})(.{3})(.{4})(.{2})$/, '$1.$2.$3/$4-$5');
}

/** Removes only blanks around the text; `trim` would also remove zero-width no-break spaces, which nobody sees as blanks. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '') : undefined;
}
