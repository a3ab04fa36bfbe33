/**
 * Text of the JSON file → its settings, or every problem in it, each with its path and the variable that sets the same.
 * Pure: the caller reads the file. The text is never quoted, because somebody may have put a secret into it.
 */
import type { z } from 'zod';
import { OPERATIONS, isSameWord, withExtraOperations } from '../contract/index.js';
import { buildGaps } from './build-gaps.js';
import { ENV, VARIABLES } from './env-names.js';
import { fileSchema, type FileSettings } from './file-schema.js';
import { nearestName } from './nearest.js';

export type FileParse =
  { readonly ok: true; readonly settings: FileSettings } | { readonly ok: false; readonly problems: readonly string[] };

export function parseFile(text: string): FileParse {
  let data: unknown;
  const seen = { proto: false };
  try {
    // zod drops `__proto__` from records without a word; an unknown member must be refused.
    data = JSON.parse(text, (name, value: unknown) => {
      if (name === '__proto__') seen.proto = true;
      return value;
    });
  } catch (error) {
    return refused(`the ${FILE} is not JSON${placeOf(error, text)}${cureOf(text)}`);
  }
  if (seen.proto) return refused(`a member in the ${FILE} is named "__proto__"; expected a plain name`);
  const doubled = repeatedMember(text);
  if (doubled !== undefined)
    return refused(`the ${FILE} has the member ${doubled} twice in one object; keep one of them`);
  const parsed = fileSchema.safeParse(data, { error: messageOf });
  if (!parsed.success)
    return refused(...parsed.error.issues.map((issue) => `${whereOf(issue.path)}: ${detailOf(issue)}`));
  const twice = repeatedId(parsed.data);
  if (twice !== undefined) return refused(`operations in the ${FILE}: the id ${twice} is given twice`);
  const problems = [
    ...knownOperations(parsed.data),
    ...unknownOperations(parsed.data),
    ...wordsOfTwoStates(parsed.data),
    ...namesOfTwoThings(parsed.data),
  ];
  return problems.length > 0 ? refused(...problems) : { ok: true, settings: parsed.data };
}

const FILE = `file named by ${ENV.CONFIG_FILE.name}`;

function refused(...problems: readonly string[]): FileParse {
  return { ok: false, problems };
}

function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `seen ${typeOrNumber(issue.input)}; expected ${issue.expected === 'int' ? 'a whole number' : issue.expected}`;
    case 'invalid_value':
      return `seen ${seenWord(issue.input)}; expected one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return `seen ${sizeOf(issue.input)}; expected at least ${String(issue.minimum)}`;
    case 'too_big':
      return `seen ${sizeOf(issue.input)}; expected at most ${String(issue.maximum)}`;
    default:
      return undefined;
  }
}

/** The reason for a refused key of a record is in the nested issue. */
function detailOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
}

function whereOf(path: readonly PropertyKey[]): string {
  const member = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part).slice(0, 60)}`))
    .join('')
    .replace(/^\./, '');
  const variable = VARIABLES.find((candidate) => candidate.member === member);
  return `${member === '' ? 'top level' : member} in the ${FILE}${variable === undefined ? '' : ` (or ${variable.name})`}`;
}

function typeOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}

function typeOrNumber(value: unknown): string {
  return typeof value === 'number' ? String(value) : typeOf(value);
}

function sizeOf(value: unknown): string {
  return Array.isArray(value) ? `a list of ${value.length}` : seenWord(value);
}

/** Short words only: a long one may be a secret in the wrong place. */
function seenWord(value: unknown): string {
  if (typeof value === 'string')
    return value.length <= 12 ? JSON.stringify(value) : `a text of ${value.length} characters`;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeOf(value);
}

/** JSON.parse keeps the last of two equal members: a cap in the first would be lost silently. `text` is valid JSON. */
function repeatedMember(text: string): string | undefined {
  const objects: Set<string>[] = [];
  for (const [token, name] of text.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') objects.push(new Set());
    else if (token === '}') objects.pop();
    else if (name !== undefined) {
      const member = JSON.parse(name) as string;
      if (objects.at(-1)?.has(member) === true) return JSON.stringify(member.slice(0, 60));
      objects.at(-1)?.add(member);
    }
  }
  return undefined;
}

/** Operations of the file that the catalogue has too: no flow could tell which of the two is meant. */
function knownOperations({ operations = [] }: FileSettings): readonly string[] {
  try {
    withExtraOperations(OPERATIONS, operations);
    return [];
  } catch (error) {
    return [(error as Error).message.replace(/^tramita: operations:/, `operations in the ${FILE}:`)];
  }
}

function repeatedId(settings: FileSettings): string | undefined {
  const ids = (settings.operations ?? []).map((operation) => operation.id);
  return ids.find((id, index) => ids.indexOf(id) !== index);
}

/** A price or a filter of an unknown operation would have no effect. */
function unknownOperations({ prices = {}, gaps, operations = [] }: FileSettings): readonly string[] {
  const known = [...OPERATIONS, ...operations].map(({ id }) => id);
  const unknownIn = (path: readonly string[], keys: readonly string[], accepted: readonly string[]): string[] =>
    keys
      .filter((key) => !accepted.includes(key))
      .map(
        (key) =>
          `${whereOf([...path, key])}: no such operation; did you mean "${nearestName(key, accepted) ?? ''}"? Define your own operations in "operations"`,
      );
  return [
    ...unknownIn(['prices'], Object.keys(prices), [...known, 'default']),
    ...unknownIn(['gaps', 'filters'], Object.keys(gaps?.filters ?? {}), known),
  ];
}

/** Words that are listed for two states: only the first state would count. */
function wordsOfTwoStates({ gaps }: FileSettings): readonly string[] {
  const lists = Object.entries(gaps?.statusWords ?? {}).map(([state, words = []]) => [state, words] as const);
  return lists.flatMap(([state, words], place) =>
    words.flatMap((word) => {
      const [other] = lists.slice(0, place).find(([, others]) => others.some((each) => isSameWord(each, word))) ?? [];
      const where = whereOf(['gaps', 'statusWords', state]);
      return other === undefined ? [] : [`${where}: ${seenWord(word)} is in "${other}" too; keep it in one of them`];
    }),
  );
}

/** Of two equal names of a call, one would replace the other: it would be paid for, and ask for something else. */
function namesOfTwoThings({ gaps = {} }: FileSettings): readonly string[] {
  const { oabNumberParam, oabStateParam, documentsFlag, callbackFlag } = buildGaps(gaps);
  const pairs = [{ one: 'oabNumberParam', other: 'oabStateParam', first: oabNumberParam, second: oabStateParam }];
  if (documentsFlag.in === callbackFlag.in) {
    const [first, second] = [documentsFlag.name, callbackFlag.name];
    pairs.push({ one: 'documentsFlag.name', other: 'callbackFlag.name', first, second });
  }
  return pairs
    .filter(({ first, second }) => first === second)
    .map(
      ({ one, other, first }) =>
        `gaps.${one} and gaps.${other} in the ${FILE}: both are "${first}"; expected two names`,
    );
}

/** V8 gives the position in the message; the rest of that message quotes the text and is not used. */
function placeOf(error: unknown, text: string): string {
  const position = /at position (\d+)/.exec(String((error as { message?: unknown }).message))?.[1];
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}

function cureOf(text: string): string {
  const withoutStrings = text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  if (/\/\/|\/\*/.test(withoutStrings)) return '; it contains comments, which JSON does not allow: remove them';
  if (/,\s*[}\]]/.test(withoutStrings))
    return '; it contains a comma before a closing bracket, which JSON does not allow';
  return '; expected one JSON object';
}
