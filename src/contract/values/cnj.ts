/**
 * CNJ unified case numbers (Resolução CNJ 65/2008): `NNNNNNN-DD.AAAA.J.TR.OOOO`, stored as 20 digits.
 *
 * Pure: no zod, no Node, no clock, so that flows may import it. Numbers are strings end to end: as a JavaScript number a
 * CNJ loses its last digits. Three levels of validity: *shape* (20 digits under one accepted mask), *check* (ISO 7064
 * MOD 97-10: what callers must send) and *court* (the J/TR pair exists: a warning only, the court table may lag behind).
 */
declare const cnjBrand: unique symbol;

/** A case number: exactly 20 digits whose check digits are right. */
export type Cnj = string & { readonly [cnjBrand]: true };

const MASKED = /^(\d{1,7})-(\d{2})\.(\d{4})\.(\d)\.(\d{2})\.(\d{4})$/;
const BARE = /^\d{20}$/;
/** The plain spellings of a case number, as the source of a regular expression that ignores check digits. */
export const CNJ_FORM = `${BARE.source}|${MASKED.source}`;
/**
 * J and TR of every court: Resolução CNJ 65/2008, art. 1 §§ 4 and 5, and the pair (0, 01) of old STF numbers. A test compares it
 * with `@brazilian-utils/brazilian-utils`, whose own check keeps a regular expression with state and so cannot be shared by
 * flows (docs/decisions/0067).
 */
const COURT =
  /^(?:001|[1-3]00|4(?:0[1-6]|90)|5(?:[01]\d|2[0-4]|90)|6(?:[01]\d|2[0-7])|7(?:0\d|1[0-2])|8(?:0[1-9]|1\d|2[0-7])|9(?:13|21|26))$/;
/** The webhook sender's probe number; never a case. */
const PROBE = '0'.repeat(20);

/** A case number, or what is wrong with it. */
export type CnjParse =
  | { readonly ok: true; readonly cnj: Cnj; readonly courtKnown: boolean }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads a case number as a caller may write it: the mask (leading zeros of the sequence may be left out), 20 bare
 * digits, or a percent-encoded mask. Nothing else is stripped: `100000151.2026.8.26.0100A` is not a number.
 */
export function parseCnj(text: unknown): CnjParse {
  if (typeof text !== 'string') return { ok: false, problem: `must be a string, got ${describeType(text)}` };
  const digits = cnjDigits(text);
  if (digits === undefined) {
    return { ok: false, problem: 'must be 20 digits or NNNNNNN-DD.AAAA.J.TR.OOOO' };
  }
  if (digits === PROBE) return { ok: false, problem: 'is the all-zero probe number, not a case' };
  // Not the remainder alone: 00, 01 and 99 have those of 97, 98 and 02, and no number has them.
  const checkDigits = expectedCheckDigits(digits);
  if (digits.slice(7, 9) !== checkDigits) {
    return { ok: false, problem: `has wrong check digits (${checkDigits} expected)` };
  }
  return { ok: true, cnj: digits as Cnj, courtKnown: COURT.test(digits.slice(13, 16)) };
}

/** 20 digits when `text` has the shape of a case number, whatever its check digits; for data that the service sends. */
export function cnjDigits(text: string): string | undefined {
  const plain = text.trim().replace(/%2d/gi, '-').replace(/%2e/gi, '.');
  if (BARE.test(plain)) return plain;
  const match = MASKED.exec(plain);
  if (match === null) return undefined;
  const [, sequence = '', ...rest] = match;
  return sequence.padStart(7, '0') + rest.join('');
}

/** True for the all-zero number that senders use as a probe. */
export function isProbeCnj(digits: string): boolean {
  return digits === PROBE;
}

/** The mask people read: `1000001-51.2026.8.26.0100`. */
export function formatCnj(digits: string): string {
  return digits.replace(/^(\d{7})(\d{2})(\d{4})(\d)(\d{2})(\d{4})$/, '$1-$2.$3.$4.$5.$6');
}

/** The two check digits that a 20-digit number should have. */
export function expectedCheckDigits(digits: string): string {
  return checkDigits97(checkOrder(digits).slice(0, 18));
}

/** Two check digits of a number: `98 - (number and 00 mod 97)`. */
export function checkDigits97(base: string): string {
  return String(98 - remainder97(`${base}00`)).padStart(2, '0');
}

/** N A J TR O followed by DD, the order in which MOD 97-10 is computed. */
function checkOrder(digits: string): string {
  return digits.slice(0, 7) + digits.slice(9) + digits.slice(7, 9);
}

/** Digit by digit, because twenty digits do not fit a JavaScript number. */
function remainder97(digits: string): number {
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
  return rest;
}

function describeType(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
