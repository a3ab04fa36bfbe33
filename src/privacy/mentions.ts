/**
 * Where a number is in a text, however it is written: bare, masked, with other separators, percent-encoded, with leading
 * zeros lost. Every place of a text is tried, so a number beside it hides none. Pure.
 */
import { UFS } from '../contract/index.js';
import type { Sought, SubjectKind } from './subject.js';

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Up to three signs between two groups; `%2D` is a hyphen, `%2F` a slash. */
const GAP = '(?:%2[DdEeFf]|[^0-9A-Za-z]){0,3}';
const groups = (one: string, lengths: readonly number[]): string =>
  lengths.map((length) => `${one}{${length}}`).join(GAP);

const CPF = `${groups('\\d', [3, 3, 3, 2])}(?!\\d)`;
const CNPJ = `${groups('[0-9A-Za-z]', [2, 3, 3, 4])}${GAP}\\d{2}(?!\\d)`;
const CNJ = `(?:${groups('\\d', [7, 2, 4, 1, 2, 4])}|\\d{1,6}(?:-|%2[Dd])\\d{2}\\.\\d{4}\\.\\d\\.\\d{2}\\.\\d{4})(?!\\d)`;
const NUMBER = '0{0,6}(\\d{1,3}(?:\\.\\d{3}){1,2}|\\d{1,7})(?!\\d)';
/** Set off by a hyphen or a slash, or written on: a letter behind a blank is a word. */
const SUFFIX = '(?:[-/]?([A-Z])(?![A-Za-z0-9]))?';
const STATE = `(${UFS.join('|')}|${UFS.join('|').toLowerCase()})`;
const BETWEEN = '(?:%3[Aa]|%2[Ff]|[\\s:/.,-]|[nN][º°o.]*){0,6}';
const OAB_STATE_FIRST = `(?<![A-Za-z])(?:[oO][aA][bB][/ -]?)?${STATE}${BETWEEN}${NUMBER}${SUFFIX}`;
const OAB_NUMBER_FIRST = `(?<!\\d)(?<!\\d\\.)${NUMBER}${SUFFIX}(?:%2[Ff]|%3[Aa]|[\\s:/-]){1,3}${STATE}(?![A-Za-z])`;

/** Looked at without being consumed: the next place may begin inside of it. */
const everywhere = (pattern: string, before = '(?<!\\d)'): RegExp => new RegExp(`${before}(?=(${pattern}))`, 'g');

interface Reader {
  readonly pattern: RegExp;
  readonly valueOf: (match: RegExpExecArray) => string | undefined;
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

/** In their order, none inside of another. */
export function mentionsIn(text: string, { kind, is }: Pick<Sought, 'kind' | 'is'>): readonly Span[] {
  const spans: Span[] = [];
  for (const { pattern, valueOf } of READERS[kind]) {
    for (const match of text.matchAll(pattern)) {
      const value = valueOf(match);
      if (value !== undefined && is(value))
        spans.push({ from: match.index, to: match.index + (match[1]?.length ?? 0) });
    }
  }
  return withoutOverlaps(spans);
}

/** Case numbers in a text, as digits. */
export function casesIn(text: string): readonly string[] {
  const cases: string[] = [];
  mentionsIn(text, { kind: 'cnj', is: (value) => cases.push(value) < 0 });
  return cases;
}

const DIGITS: Partial<Record<SubjectKind, number>> = { cpf: 11, cnpj: 14, cnj: 20 };
/** A number that has lost more zeros than this is another one. */
const ZEROS_LOST = 3;

/** True where the whole value is the number, also as a JSON number that has lost its leading zeros. */
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

/** Other words for a part of a text. */
export interface Edit extends Span {
  readonly by: string;
}

/** `edits` in their order, none inside of another. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let result = '';
  let at = 0;
  for (const { from, to, by } of edits) {
    result += text.slice(at, from) + by;
    at = to;
  }
  return result + text.slice(at);
}
