/**
 * Which cases exist. A corpus is a size and a rule from index to case number, so a million cases need no memory: the
 * sequence part of a number is its index plus one, and the rest is derived from it. `tiny` and `firm` know only these
 * numbers and the personas; `mass` knows every valid number, and its lists draw from the first million. Pure.
 */
import { expectedCheckDigits } from '../../src/contract/index.js';
import { deriveInteger } from '../derive.js';

export type CorpusName = 'tiny' | 'firm' | 'mass';
export interface Corpus {
  readonly seed: string;
  readonly corpus: CorpusName;
}
export const CORPUS_SIZE: Readonly<Record<CorpusName, number>> = { tiny: 50, firm: 10_000, mass: 1_000_000 };

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index).padStart(2, '0'));

/** Every court as JTR digits, except those without units of origin. */
const COURTS: readonly string[] = [
  ...range(1, 27).map((court) => `8${court}`),
  ...range(1, 24).map((court) => `5${court}`),
  ...range(1, 6).map((court) => `4${court}`),
  ...range(1, 27).map((court) => `6${court}`),
  ...range(1, 12).map((court) => `7${court}`),
  '913',
  '921',
  '926',
];
const HIGH_COURTS: readonly string[] = ['100', '200', '300', '490', '500', '590', '600', '700'];
/** One case in this many belongs to a court without units. */
const HIGH_SHARE = 25;
const STATE_SHARE = 3;

export function cnjAt(seed: string, index: number): string {
  const pick = (below: number, what: string): number => deriveInteger(seed, below, 'corpus', what, index);
  const high = pick(HIGH_SHARE, 'high') === 0;
  // Two cases in three are of a state court, as in the national stock.
  const court = pick(STATE_SHARE, 'state') > 0 ? COURTS[pick(27, 'court')] : COURTS[pick(COURTS.length, 'court')];
  const jtr = (high ? HIGH_COURTS[pick(HIGH_COURTS.length, 'high court')] : court) ?? '826';
  const unit = high ? '0000' : String(1 + pick(700, 'unit')).padStart(4, '0');
  const year = String(2026 - Math.min(pick(30, 'year'), pick(30, 'year again')));
  return buildCnj(String(index + 1).padStart(7, '0'), `${year}${jtr}${unit}`);
}

/** Seven digits and eleven (year, court, unit) with the check digits between them. */
export function buildCnj(sequence: string, rest: string): string {
  return `${sequence}${expectedCheckDigits(`${sequence}00${rest}`)}${rest}`;
}

/** Whether the corpus has this number; `mass` has every number. */
export function isInCorpus(corpus: Corpus, cnj: string): boolean {
  if (corpus.corpus === 'mass') return true;
  const index = Number(cnj.slice(0, 7)) - 1;
  return index >= 0 && index < CORPUS_SIZE[corpus.corpus] && cnjAt(corpus.seed, index) === cnj;
}

/** The case at `place` (0, 1, …) in the list of `owner` (a lawyer, a person), computed without the earlier places. */
export function cnjOfOwner(corpus: Corpus, owner: string, place: number): string {
  const size = CORPUS_SIZE[corpus.corpus];
  // 7,919 shares no factor with any of the sizes, so these steps visit every index once.
  const index = (deriveInteger(corpus.seed, size, 'first case', owner) + place * 7_919) % size;
  return cnjAt(corpus.seed, index);
}
