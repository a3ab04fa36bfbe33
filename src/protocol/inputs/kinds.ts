/** Kinds of members that several flows have. Pure. */
import type { JsonObject } from '../../contract/json.js';
import {
  AMOUNT_FORM,
  CNJ_FORM,
  DURATION_FORM,
  MAX_REGISTRATIONS,
  UFS,
  formatAmount,
  formatOabQuery,
  parseAmount,
  parseCivilDate,
  parseCnj,
  parseDurationMs,
  parseOab,
  type CivilDate,
  type Cnj,
} from '../../contract/values/index.js';
import { Described, described, problem, type Member, type MemberFlag } from './members.js';

export function withFlag<Value>({ read, schema }: Member<Value>, flag: MemberFlag): Member<Value> {
  return { read, schema, flag };
}

/** A member whose value `become` converts; it returns undefined for a value that is not `expected`. */
export function member<Value>(
  expected: string,
  schema: JsonObject,
  become: (value: unknown) => Value | undefined,
  shown: (value: unknown) => unknown = (value) => value,
): Member<Value> {
  return {
    schema,
    read: (value, name) => {
      const read = become(value);
      if (read !== undefined) return read;
      throw unexpected(name, expected, value === undefined ? undefined : shown(value));
    },
  };
}

/** A missing member is shown as "nothing", not as `null`, which somebody may have sent. */
function unexpected(name: string, expected: string, seen: unknown): Error {
  return seen === undefined ? problem(name, `${expected}; seen: nothing`) : problem(name, expected, seen);
}

/** Absent where the input does not have it. */
export function optional<Value>({ read, ...rest }: Member<Value>): Member<Value | undefined> {
  return { ...rest, read: (value, name) => (value === undefined ? undefined : read(value, name)) };
}

/** False where absent. */
export const yesNo = member('must be true or false', { type: 'boolean', default: false }, (value = false) =>
  typeof value === 'boolean' ? value : undefined,
);

export function wholeNumber({ max, fallback }: { readonly max: number; readonly fallback: number }): Member<number> {
  const schema = { type: 'integer', minimum: 1, maximum: max, default: fallback };
  return member(`must be a whole number from 1 to ${max}`, schema, (value = fallback) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= max ? value : undefined,
  );
}

const PAGES_FLAG: MemberFlag = {
  takes: '<count>',
  form: 'number',
  help: 'maximum number of pages (each is a charged call)',
};

/** How many pages may be bought; 1 where absent. */
export function pages(max: number): Member<number> {
  return withFlag(wholeNumber({ max, fallback: 1 }), PAGES_FLAG);
}

/** Most pages of a run that buys nothing else: its history stays far below the limits of the server. */
export const MAX_COLLECTED_PAGES = 500;

/** How many pages may be bought; required, because the flow has no other bound. */
export const statedPages: Member<number> = withFlag(
  {
    schema: { type: 'integer', minimum: 1, maximum: MAX_COLLECTED_PAGES },
    read: (value, name) => {
      if (value === undefined) throw problem(name, 'is missing: each page is a charged call, so give a maximum');
      return wholeNumber({ max: MAX_COLLECTED_PAGES, fallback: 1 }).read(value, name);
    },
  },
  PAGES_FLAG,
);

export const amount = member(
  'must be a decimal string with up to four places, like "2.50"',
  { type: 'string', pattern: AMOUNT_FORM },
  (value) => {
    const parsed = typeof value === 'string' ? parseAmount(value) : undefined;
    return parsed === undefined ? undefined : formatAmount(parsed);
  },
);

/** In ms. */
export function duration(expected = 'a duration'): Member<number> {
  const schema = { type: 'string', pattern: DURATION_FORM };
  return member(`must be ${expected}, like "90s", "10m", "24h" or "30d"`, schema, (value) =>
    typeof value === 'string' ? parseDurationMs(value) : undefined,
  );
}

export function day(expected: string): Member<CivilDate> {
  return member(expected, { type: 'string', format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }, parseCivilDate);
}

/** A case number, 20 digits or the mask, checked to its check digits; its court may be new to our table. */
export const caseNumber: Member<{ readonly cnj: Cnj; readonly courtKnown: boolean }> = {
  schema: { type: 'string', pattern: CNJ_FORM },
  read: (value, name) => {
    if (value === undefined) throw problem(name, 'is missing; give the case number as a string');
    const parsed = parseCnj(value);
    if (!parsed.ok) throw problem(name, parsed.problem, value);
    return { cnj: parsed.cnj, courtKnown: parsed.courtKnown };
  },
  flag: { takes: '<number>', help: 'case number, 20 digits or with its mask' },
};

/** Registration of a lawyer as `UF:number`; the number is never shown in a problem. */
export const registration: Member<string> = {
  schema: { type: 'string', pattern: `^(${UFS.join('|')}):[1-9]\\d{0,6}$` },
  read: (value, name) => {
    const parsed = parseOab(value);
    if (!parsed.ok) throw unexpected(name, parsed.problem, value === undefined ? undefined : described(value));
    if (parsed.oab.sufixo !== undefined) throw problem(name, 'has a suffix: the service takes UF:number only');
    return formatOabQuery(parsed.oab);
  },
};

/** Registrations of lawyers in one spelling, each once, in order. */
export const registrations: Member<readonly string[]> = {
  schema: { type: 'array', minItems: 1, maxItems: MAX_REGISTRATIONS, items: registration.schema },
  read: (value, name) => {
    const given = boundedList(value, name, {
      least: 1,
      most: MAX_REGISTRATIONS,
      expected: `a list of 1 to ${MAX_REGISTRATIONS} registrations like "SP:123456"`,
    });
    return sortedSet(given.map((each, place) => registration.read(each, `${name}[${place}]`)));
  },
};

/** Checks the length of a list; a problem says how many items there were, never which. */
export function boundedList(
  value: unknown,
  name: string,
  { least, most, expected }: { readonly least: number; readonly most: number; readonly expected: string },
): readonly unknown[] {
  const given: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
  if (given === undefined || given.length < least || given.length > most) {
    throw unexpected(name, `must be ${expected}`, given === undefined ? value : new Described(`${given.length} items`));
  }
  return given;
}

export function sortedSet(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}

const WEBHOOK_URL = /^https:\/\/[^\s/?#@]+([/?][^\s#]*)?$/;
const MAX_URL = 2_000;

/** Address to which a monitor posts; its host is checked against configuration before anything is sent. */
export const webhookUrl: Member<string | undefined> = optional(
  member(
    'must be an https address without user name and fragment',
    { type: 'string', pattern: WEBHOOK_URL.source, maxLength: MAX_URL },
    (value) => (typeof value === 'string' && WEBHOOK_URL.test(value) && value.length <= MAX_URL ? value : undefined),
    (value) => (typeof value === 'string' ? originOf(value) : described(value)),
  ),
);

/** The address without what may be a secret: anything before or after the host. */
function originOf(url: string): string {
  const [, scheme, host] = /^([a-z]{1,10}:\/\/)(?:[^/?#]*@)?([^/?#@\s]{1,100})/i.exec(url) ?? [];
  return scheme === undefined || host === undefined ? 'no address' : `${scheme}${host}/…`;
}

/** A text of a fixed form. */
export function textLike(form: RegExp, expected: string): Member<string> {
  return member(expected, { type: 'string', pattern: form.source }, (value) =>
    typeof value === 'string' && form.test(value) ? value : undefined,
  );
}
