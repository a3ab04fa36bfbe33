/**
 * How members of an input are read, and their problems as text: which member, what was seen (cut, never a whole personal
 * number), what is expected. Shared by starters (before anything starts) and flows (so that plain JSON from any language
 * fails at once with `InvalidInput` instead of failing a workflow task forever). Pure, no zod. The kinds of members that
 * flows have in common are in `kinds.ts`.
 */
import { isJsonObject, isWithinDepth, type JsonObject } from '../../contract/json.js';
import { maskPersonalNumbers, outlineOf, present, shownName, type Present } from '../../contract/values/index.js';
import { undecodableReason } from '../undecodable.js';

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** One member of an input: what its value becomes in the settings, or a problem. */
export interface Member<Value> {
  readonly read: (value: unknown, name: string) => Value;
  /**
   * What `read` takes, as JSON Schema: only plain spellings, and no rule that a schema cannot express (check digits, days that
   * exist). The type of the input adds the description, and whether the member is required (`scripts/make-schemas.cjs`).
   */
  readonly schema: JsonObject;
  /** How `tramita start` takes it, where it has a flag of its own. */
  readonly flag?: MemberFlag;
}

export interface MemberFlag {
  /** Its argument as the help shows it; absent for a flag without one. */
  readonly takes?: string;
  readonly help: string;
  /** What its text is converted to; absent: text. If that fails, the text is passed on, and the flow names the problem. */
  readonly form?: 'number' | 'json' | 'list' | 'on/off';
}

/** What a table of members is read into. Members that are absent from the input and have no default are left out. */
export type ReadMembers<Members> = Present<{
  [Name in keyof Members]: Members[Name] extends Member<infer Value> ? Value : never;
}>;

export function readMembers<Members extends object>(
  members: Members,
  given: Readonly<Record<string, unknown>>,
): ReadMembers<Members> {
  const entries: readonly (readonly [string, Member<unknown>])[] = Object.entries(members);
  return present(
    Object.fromEntries(entries.map(([name, { read }]) => [name, read(given[name], name)])),
  ) as ReadMembers<Members>;
}

export function objectMembers(input: unknown, known: readonly string[], example: string): JsonObject {
  const reason = undecodableReason(input);
  if (reason !== undefined) {
    throw new InputProblem(`input cannot be decoded (${reason}); send one JSON object like ${example} as json/plain`);
  }
  if (!isJsonObject(input)) {
    throw new InputProblem(`input must be one JSON object like ${example}, got ${seen(input)}`);
  }
  const unknown = Object.keys(input).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new InputProblem(
      `input has an unknown member "${shownName(unknown)}"; known members are ${known.join(', ')}`,
    );
  }
  return input;
}

/** Thrown inside {@link guard} only. */
class InputProblem extends Error {}

export function problem(member: string, expectation: string, value?: unknown): InputProblem {
  return new InputProblem(`input.${member} ${expectation}${value === undefined ? '' : `; seen: ${seen(value)}`}`);
}

/** A value that is only described in a {@link problem}, so without quotes: it may name a person or be a secret. */
export class Described {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function described(value: unknown): Described {
  return new Described(value === undefined ? 'nothing' : outlineOf(value));
}

/** Longer than the text that is shown, so that a number is still recognised as personal where the shown text cuts it off. */
const SEEN_CHARS = 200;
/** Of JSON that is sent on: not every reader could write deeper nesting again. */
const MAX_DEPTH = 32;

/** Checks JSON of the caller's own: no deeper and no longer than may be sent on. */
export function checkJson(member: string, value: unknown, maxChars: number): void {
  if (!isWithinDepth(value, MAX_DEPTH)) throw problem(member, `must be nested at most ${MAX_DEPTH} levels deep`);
  const size = jsonOf(value)?.length;
  if (size === undefined) throw problem(member, 'must be JSON', value);
  if (size > maxChars) throw problem(member, `must be at most ${maxChars} characters of JSON`, size);
}

/** What was seen, cut, and never a whole personal number. */
function seen(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value instanceof Described) return value.text;
  if (!isWithinDepth(value, MAX_DEPTH)) return `JSON that is nested more than ${MAX_DEPTH} levels deep`;
  const json = jsonOf(value) ?? `what is not JSON (${typeof value})`;
  const text = (typeof value === 'string' ? `"${value}"` : json).slice(0, SEEN_CHARS);
  const masked = maskPersonalNumbers(text);
  return masked.length > 60 ? `${masked.slice(0, 57)}...` : masked;
}

/** Undefined for what a caller in code may give and JSON does not have: a function, a bigint. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

export function guard<T>(parse: () => T): Parsed<T> {
  try {
    return { ok: true, value: parse() };
  } catch (error) {
    if (error instanceof InputProblem) return { ok: false, problem: error.message };
    throw error;
  }
}
