/** Checks options that code passes: plain JavaScript may pass anything, and a misspelt one would be ignored silently. Pure. */
import { shownName } from './personal-numbers.js';

/** Words are shown up to this length: a longer one may be a secret. */
const SHOWN_CHARS = 12;

/** What a member may be. */
export interface OptionForm {
  /** What is expected, for the message of a refusal. */
  readonly expected: string;
  /** Whether the value may be used. */
  readonly takes: (value: unknown) => boolean;
}

/** Takes every value. */
export const ANY_FORM: OptionForm = { expected: 'anything', takes: () => true };
/** Takes a boolean. */
export const TRUE_OR_FALSE: OptionForm = {
  expected: 'true or false',
  takes: (value) => typeof value === 'boolean',
};
/** Takes an object that is no list. */
export const AN_OBJECT: OptionForm = {
  expected: 'an object',
  takes: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};
/** Takes a string that is not empty. */
export const A_TEXT: OptionForm = {
  expected: 'a non-empty string',
  takes: (value) => typeof value === 'string' && value !== '',
};
/** Takes a function. */
export const A_FUNCTION: OptionForm = { expected: 'a function', takes: (value) => typeof value === 'function' };

/** What is wrong with `options`, which the message calls `name`; undefined when nothing is. */
export function optionsProblem(
  name: string,
  options: unknown,
  forms: Readonly<Record<string, OptionForm>>,
): string | undefined {
  const known = Object.keys(forms).join(', ');
  if (!AN_OBJECT.takes(options))
    return `${name} must be one object; known members are ${known}; seen: ${seen(options)}`;
  const given = new Map(Object.entries(options as object));
  const unknown = [...given.keys()].find((each) => !Object.hasOwn(forms, each));
  if (unknown !== undefined) return `${name} has an unknown member "${shownName(unknown)}"; known members are ${known}`;
  const wrong = Object.entries(forms).find(
    ([each, { takes }]) => given.get(each) !== undefined && !takes(given.get(each)),
  );
  if (wrong === undefined) return undefined;
  const [member, { expected }] = wrong;
  return `${name}.${member} must be ${expected}; seen: ${seen(given.get(member))}`;
}

function seen(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return typeof value === 'object' ? 'an object' : `what has the type ${typeof value}`;
  return value.length <= SHOWN_CHARS ? `"${shownName(value)}"` : `a text of ${value.length} characters`;
}
