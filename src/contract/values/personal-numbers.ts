/**
 * Numbers that may name a person (CPF, CNPJ, OAB, a case) in text that is shown, logged or kept: the one place of these
 * rules. Pure.
 */
import { UFS } from './oab.js';

/** Nine digits or more, with or without separators. */
const RUN = /(?<!\d)\d(?:[ ./-]{0,2}\d){8,}/g;
/** A state and a number may be a lawyer. */
const LAWYER = /\b([A-Za-z]{2})[:/ -]?\d{3,7}\b/g;
/** A CNPJ with letters, bare or with its mask (IN RFB 2.229/2024): at least four digits, the last two among them. */
const COMPANY =
  /(?<![0-9A-Za-z])(?=(?:[A-Za-z./-]{0,16}\d){4})[0-9A-Za-z]{2}\.?[0-9A-Za-z]{3}\.?[0-9A-Za-z]{3}\/?[0-9A-Za-z]{4}-?\d{2}(?![0-9A-Za-z])/g;
const STATE = `(?:${UFS.join('|')})`;
/** An OAB number, grouped or not. A short one may be a count or a status, so each form sets the fewest digits. */
const digits = (least: number): string =>
  String.raw`(?<!\d)(?<!\d[.,-])(?:\d{1,3}(?:\.\d{3}){1,2}|\d{${least},7})(?!\d|[.,-]\d)`;
const GAP = '[^0-9A-Za-z]{0,3}';
const OAB = String.raw`(?<![A-Za-z])OAB(?:[ _]?n[uú]mero)?${GAP}`;
const SHORT_FOR_NUMBER = String.raw`(?:n[º°o.]{0,2}\s{0,2})?`;
/** An OAB number in text from outside: after the word OAB or its state, or before its state. `TO 5000` and `5000 AM` are words. */
const LAWYERS = [
  new RegExp(String.raw`(?<=${OAB}${STATE}${GAP}${SHORT_FOR_NUMBER})${digits(2)}`, 'gi'),
  new RegExp(String.raw`(?<=${OAB}${SHORT_FOR_NUMBER})${digits(4)}`, 'gi'),
  new RegExp(String.raw`(?<=(?<![A-Za-z])${STATE}[:/])${digits(3)}`, 'gi'),
  new RegExp(String.raw`(?<=(?<![0-9A-Za-z][-/]?)(?!TO )${STATE} ?[:/-]? ?)${digits(4)}`, 'g'),
  new RegExp(String.raw`${digits(3)}(?=(?:[-/ ]?[A-Z])? ?[/-] ?${STATE}(?![A-Za-z]))`, 'g'),
  new RegExp(String.raw`${digits(4)}(?=(?:-?[A-Z])?(?:/${STATE}| (?!TO|AM)${STATE})(?![A-Za-z]))`, 'g'),
];
/** An OAB number has up to seven digits; dots and dashes between digits do not hide one. */
const SHORT_RUN = /(\d[.-]?){6,}/;
/** A CNPJ has 14 digits. A case number, which may be shown, has 20 without spaces; with spaces it may be two numbers. */
const PERSONAL_DIGITS = 16;

/** For the person who gave the text: enough of a number stays to recognise it. */
export function maskPersonalNumbers(text: string): string {
  const masked = text.replace(RUN, (run) => {
    const digits = run.replace(/\D/g, '');
    return digits.length > PERSONAL_DIGITS && !run.includes(' ') ? run : `${digits.slice(0, 2)}…${digits.slice(-1)}`;
  });
  return masked.replace(COMPANY, (company) => `${company.slice(0, 2)}…${company.slice(-1)}`).replace(LAWYER, '$1:…');
}

const NAME_CHARS = 40;
/** More than is shown, so that a number across the cut is still masked. */
const LOOKED_AT_CHARS = 200;

/** A name that the caller made up (of a member, an account, a type), as a message may show it: short, numbers masked. */
export function shownName(name: string): string {
  return maskPersonalNumbers(name.slice(0, LOOKED_AT_CHARS)).slice(0, NAME_CHARS);
}

/** A value of JSON in a message: cut, and personal numbers masked. */
export function shownJson(value: unknown): string {
  return shownName(JSON.stringify(value ?? null));
}

/** Describes a value that may name a person or be a secret: its type and length, never its content. */
export function outlineOf(value: unknown): string {
  if (typeof value === 'string') return `${value.length} characters`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return value === null ? 'null' : typeof value;
}

/** For text from outside: removes whole numbers, case numbers too. */
export function cutNumbers(text: string): string {
  const cut = text.replace(RUN, '[number]').replace(COMPANY, '[number]');
  return LAWYERS.reduce((rest, lawyer) => rest.replace(lawyer, '[number]'), cut);
}

/** `text` when it is an error code of the service: a short word without a long number, which a message may show. */
export function errorCodeIn(text: string | undefined): string | undefined {
  return text !== undefined && /^[\w.:-]{1,64}$/.test(text) && text.search(RUN) === -1 ? text : undefined;
}

/** For ids and names, which are shown whole or not at all. */
export function mayHoldPersonalNumber(text: string): boolean {
  return SHORT_RUN.test(text);
}
