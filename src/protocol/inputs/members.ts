/**
 * Checks of single members of an input, and their problems as text: which member, what was seen (cut, never a whole
 * personal number), what is expected. Pure, no zod: shared by starters and flows.
 */
import { isWithinDepth } from '../../contract/json.js';
import {
  formatAmount,
  maskPersonalNumbers,
  parseAmount,
  parseCnj,
  parseDurationMs,
  type Cnj,
} from '../../contract/values/index.js';
import { undecodableReason } from '../undecodable.js';

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export function amount(member: string, value: unknown): string {
  const parsed = typeof value === 'string' ? parseAmount(value) : undefined;
  if (parsed === undefined)
    throw problem(member, 'must be a decimal string with up to four places, like "2.50"', value);
  return formatAmount(parsed);
}

export function duration(member: string, value: unknown, expected = 'a duration'): number {
  const parsed = typeof value === 'string' ? parseDurationMs(value) : undefined;
  if (parsed === undefined) throw problem(member, `must be ${expected}, like "90s", "10m", "24h" or "30d"`, value);
  return parsed;
}

/** The case number of an input, 20 digits or the mask, checked to its check digits. */
export function caseNumber(members: Record<string, unknown>): { readonly cnj: Cnj; readonly courtKnown: boolean } {
  if (members['cnj'] === undefined) throw problem('cnj', 'is missing; give the case number as a string');
  const cnj = parseCnj(members['cnj']);
  if (!cnj.ok) throw problem('cnj', cnj.problem, members['cnj']);
  return { cnj: cnj.cnj, courtKnown: cnj.courtKnown };
}

export function flag(members: Record<string, unknown>, member: string): boolean {
  const value = members[member] ?? false;
  if (typeof value !== 'boolean') throw problem(member, 'must be true or false', value);
  return value;
}

export function positiveInteger(
  members: Record<string, unknown>,
  member: string,
  fallback: number,
  max: number,
): number {
  const value = members[member] ?? fallback;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1 || value > max) {
    throw problem(member, `must be a whole number from 1 to ${max}`, value);
  }
  return value;
}

export function objectMembers(input: unknown, known: readonly string[], example: string): Record<string, unknown> {
  const reason = undecodableReason(input);
  if (reason !== undefined) {
    throw new InputProblem(`input cannot be decoded (${reason}); send one JSON object like ${example} as json/plain`);
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new InputProblem(`input must be one JSON object like ${example}, got ${seen(input)}`);
  }
  const unknown = Object.keys(input).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new InputProblem(
      `input has an unknown member "${unknown.slice(0, 40)}"; known members are ${known.join(', ')}`,
    );
  }
  return input as Record<string, unknown>;
}

/** Thrown inside {@link guard} only. */
class InputProblem extends Error {}

export function problem(member: string, expectation: string, value?: unknown): InputProblem {
  return new InputProblem(`input.${member} ${expectation}${value === undefined ? '' : `; seen: ${seen(value)}`}`);
}

/** More than is shown, so that a number that is cut off there is still seen as one. */
const SEEN_CHARS = 200;
/** Of JSON that travels on: what is nested deeper cannot be written again by every reader. */
const MAX_DEPTH = 32;

/** Form of a member that is JSON of the caller's own: as deep and as long as may travel on. */
export function checkJson(member: string, value: unknown, maxChars: number): void {
  if (!isWithinDepth(value, MAX_DEPTH)) throw problem(member, `must be nested at most ${MAX_DEPTH} levels deep`);
  const size = JSON.stringify(value).length;
  if (size > maxChars) throw problem(member, `must be at most ${maxChars} characters of JSON`, size);
}

/** What was seen, cut, and never a whole personal number. */
function seen(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (!isWithinDepth(value, MAX_DEPTH)) return `JSON that is nested more than ${MAX_DEPTH} levels deep`;
  const text = (typeof value === 'string' ? `"${value}"` : JSON.stringify(value)).slice(0, SEEN_CHARS);
  const masked = maskPersonalNumbers(text);
  return masked.length > 60 ? `${masked.slice(0, 57)}...` : masked;
}

export function guard<T>(parse: () => T): Parsed<T> {
  try {
    return { ok: true, value: parse() };
  } catch (error) {
    if (error instanceof InputProblem) return { ok: false, problem: error.message };
    throw error;
  }
}
