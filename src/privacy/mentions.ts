/**
 * Finds a number in a text, however it is written: bare, masked, with other separators, percent-encoded, with leading zeros
 * lost. A match is tried at every position, so that digits before a number do not hide it. Pure.
 */
import { UFS } from '../contract/index.js';
import type { Sought, SubjectKind } from './subject.js';

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Up to three characters between two groups; `%2D` is a hyphen, `%2F` a slash. */
const GAP = '(?:%2[DdEeFf]|[^0-9A-Za-z]){0,3}';
const groups = (character: string, lengths: readonly number[]): string =>
  lengths.map((length) => `${character}{${length}}`).join(GAP);

const CPF = `${groups('\\d', [3, 3, 3, 2])}(?!\\d)`;
const CNPJ = `${groups('[0-9A-Za-z]', [2, 3, 3, 4])}${GAP}\\d{2}(?!\\d)`;
const CNJ = `(?:${groups('\\d', [7, 2, 4, 1, 2, 4])}|\\d{1,6}(?:-|%2[Dd])\\d{2}\\.\\d{4}\\.\\d\\.\\d{2}\\.\\d{4})(?!\\d)`;
const NUMBER = '0{0,6}(\\d{1,3}(?:\\.\\d{3}){1,2}|\\d{1,7})(?!\\d)';
/** After a hyphen, a slash or nothing: a letter after a blank is a word. */
const SUFFIX = '(?:[-/]?([A-Z])(?![A-Za-z0-9]))?';
const STATE = `(${UFS.join('|')}|${UFS.join('|').toLowerCase()})`;
const BETWEEN = '(?:%3[Aa]|%2[Ff]|&nbsp;|[\\s:/.,-]|[nN](?:&ordm;|&deg;|[º°o.])*){0,6}';
const OAB_STATE_FIRST = `(?<![A-Za-z])(?:[oO][aA][bB][/ -]?)?${STATE}${BETWEEN}${NUMBER}${SUFFIX}`;
const OAB_NUMBER_FIRST = `(?<!\\d)(?<!\\d\\.)${NUMBER}${SUFFIX}(?:%2[Ff]|%3[Aa]|&nbsp;|[\\s:/-]){1,3}${STATE}(?![A-Za-z])`;

/** A lookahead, which consumes nothing: the next match may begin inside of this one. */
const everywhere = (pattern: string, before = '(?<!\\d)'): RegExp => new RegExp(`${before}(?=(${pattern}))`, 'g');

interface Reader {
  readonly pattern: RegExp;
  readonly valueOf: (match: RegExpExecArray) => string;
}

const digitsOf = (text: string): string => text.replace(/%2[DdEeFf]/g, '').replace(/\D/g, '');
const plainOf = (text: string): string =>
  text
    .replace(/%2[DdEeFf]/g, '')
    .replace(/[^0-9A-Za-z]/g, '')
    .toUpperCase();

const READERS: Readonly<Record<SubjectKind, readonly Reader[]>> = {
  cpf: [{ pattern: everywhere(CPF), valueOf: ([, seen = '']) => digitsOf(seen) }],
  cnpj: [{ pattern: everywhere(CNPJ), valueOf: ([, seen = '']) => plainOf(seen) }],
  cnj: [{ pattern: everywhere(CNJ), valueOf: ([, seen = '']) => digitsOf(seen).padStart(20, '0') }],
  oab: [
    {
      pattern: everywhere(OAB_STATE_FIRST, ''),
      valueOf: ([, , uf, numero, sufixo]) => oabOf(uf, numero, sufixo),
    },
    {
      pattern: everywhere(OAB_NUMBER_FIRST, ''),
      valueOf: ([, , numero, sufixo, uf]) => oabOf(uf, numero, sufixo),
    },
  ],
};

function oabOf(uf = '', numero = '', sufixo?: string): string {
  const plain = numero.replace(/\./g, '').replace(/^0+/, '');
  return `${uf.toUpperCase()}:${plain}${sufixo === undefined ? '' : `-${sufixo.toUpperCase()}`}`;
}

/** All that looks like a number of this kind. */
function candidatesIn(text: string, kind: SubjectKind): readonly { readonly value: string; readonly span: Span }[] {
  return READERS[kind].flatMap(({ pattern, valueOf }) =>
    Array.from(text.matchAll(pattern), (match) => {
      const span = { from: match.index, to: match.index + (match[1]?.length ?? 0) };
      return { value: valueOf(match), span };
    }),
  );
}

/** In their order, without overlaps. */
export function mentionsIn(text: string, { kind, is }: Pick<Sought, 'kind' | 'is'>): readonly Span[] {
  return withoutOverlaps(candidatesIn(text, kind).flatMap(({ value, span }) => (is(value) ? [span] : [])));
}

/** Case numbers in a text, as digits. */
export function casesIn(text: string): readonly string[] {
  return candidatesIn(text, 'cnj').map(({ value }) => value);
}

const DIGITS: Partial<Record<SubjectKind, number>> = { cpf: 11, cnpj: 14, cnj: 20 };
/** Leading zeros that a number may have lost. */
const ZEROS_LOST = 3;

/** True if the whole value is the number, also as a JSON number that has lost its leading zeros. */
export function isWhole(value: string | number, sought: Pick<Sought, 'kind' | 'is'>): boolean {
  const text = String(value).trim();
  const length = DIGITS[sought.kind];
  if (length !== undefined && /^\d+$/.test(text) && text.length >= length - ZEROS_LOST && text.length <= length) {
    return sought.is(text.padStart(length, '0'));
  }
  if (text.length > LONGEST) return false;
  const [first] = mentionsIn(text, sought);
  return (
    first !== undefined &&
    /^(?:oab|cpf|cnpj|[nN][º°.]|\W)*$/i.test(text.slice(0, first.from)) &&
    first.to === text.length
  );
}

const LONGEST = 60;

export function withoutOverlaps(spans: readonly Span[]): readonly Span[] {
  const sorted = [...spans].sort((left, right) => left.from - right.from || right.to - left.to);
  const kept: Span[] = [];
  for (const span of sorted) if (span.from >= (kept.at(-1)?.to ?? 0)) kept.push(span);
  return kept;
}

export function replaceSpans(text: string, spans: readonly Span[], by: string | ((seen: string) => string)): string {
  const write = (seen: string): string => (typeof by === 'string' ? by : by(seen));
  return applyEdits(
    text,
    spans.map(({ from, to }) => ({ from, to, by: write(text.slice(from, to)) })),
  );
}

/** A replacement for a part of a text. */
export interface Edit extends Span {
  readonly by: string;
}

/** `edits` in their order, without overlaps. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = '';
  let at = 0;
  for (const { from, to, by } of edits) {
    result += text.slice(at, from) + by;
    at = to;
  }
  return result + text.slice(at);
}
