/**
 * NUP, the federal administrative protocol number: `UUUUU.NNNNNN/AAAA-DD`, 17 digits (Portaria Interministerial MJSP/ME
 * 11/2019). Pure. States, cities and courts use other forms, so what is sent is a free {@link AdminNumber}
 * and being a NUP is a property of it. The 21-digit form was revoked before it came into use: recognised, never made.
 */
import { checkDigits97 } from './cnj.js';

declare const nupBrand: unique symbol;
declare const adminBrand: unique symbol;

/** Seventeen digits whose check digits are right. */
export type Nup17 = string & { readonly [nupBrand]: true };
/** Protocol number of any administration: 10 to 30 characters, as written. */
export type AdminNumber = string & { readonly [adminBrand]: true };

/** A NUP of 17 digits, or what is wrong with it. */
export type NupParse = { readonly ok: true; readonly nup: Nup17 } | { readonly ok: false; readonly problem: string };
/** A number of an administrative process, or what is wrong with it. */
export type AdminNumberParse =
  | { readonly ok: true; readonly number: AdminNumber; readonly form: 'nup17' | 'revoked nup21' | 'other' }
  | { readonly ok: false; readonly problem: string };

const NUP17 = /^(?:\d{17}|\d{5}\.\d{6}\/\d{4}-\d{2})$/;
const NUP21 = /^(?:\d{21}|\d{7}\.\d{8}\/\d{4}-\d{2})$/;
const ADMIN = /^[\p{L}\d](?:[\p{L}\d./ _-]{8,28})[\p{L}\d]$/u;

/** Reads the 17 digits of an administrative process (NUP), with or without their mask. */
export function parseNup17(value: unknown): NupParse {
  const text = typeof value === 'string' ? value.trim() : '';
  if (!NUP17.test(text)) return { ok: false, problem: 'must be a NUP: 17 digits or UUUUU.NNNNNN/AAAA-DD' };
  const digits = text.replace(/\D/g, '');
  const right = nupCheckDigits(digits.slice(0, 15));
  if (!digits.endsWith(right)) return { ok: false, problem: `has wrong check digits (${right} expected)` };
  return { ok: true, nup: digits as Nup17 };
}

/** Strict only about shape; a NUP-shaped number with wrong check digits is `other`. */
export function parseAdminNumber(value: unknown): AdminNumberParse {
  const text = typeof value === 'string' ? value.trim() : '';
  if (!ADMIN.test(text)) return { ok: false, problem: 'must be a protocol number of 10 to 30 characters' };
  const form = parseNup17(text).ok ? 'nup17' : isRevokedNup(text) ? 'revoked nup21' : 'other';
  return { ok: true, number: text as AdminNumber, form };
}

/** The number with its mask. */
export function formatNup17(digits: string): string {
  return digits.replace(/^(\d{5})(\d{6})(\d{4})(\d{2})$/, '$1.$2/$3-$4');
}

/** Modulus 11 twice: over the 15 digits, then over 16. */
export function nupCheckDigits(base: string): string {
  const first = checkDigit(base);
  return first + checkDigit(base + first);
}

function checkDigit(digits: string): string {
  const last = digits.length - 1;
  let sum = 0;
  for (let place = 0; place <= last; place += 1) sum += Number(digits[last - place]) * (place + 2);
  return String(11 - (sum % 11)).slice(-1);
}

function isRevokedNup(text: string): boolean {
  return NUP21.test(text) && text.endsWith(checkDigits97(text.replace(/\D/g, '').slice(0, 19)));
}
