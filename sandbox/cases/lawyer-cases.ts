/**
 * The list of a lawyer's cases at a given moment: how much of it is covered, and its version. Coverage begins with the
 * first call, grows in four steps, and is then complete. A complete list, and with it its version, changes once a day.
 * Pure.
 */
import { addDays, civilDateOf, instantOf } from '../civil/calendar.js';
import { deriveInteger } from '../derive.js';
import { CORPUS_SIZE, cnjOfOwner, type Corpus } from './corpus.js';
import { LAWYERS, type LawyerPersona } from './personas.js';

export interface Coverage {
  readonly partial: boolean;
  /** Number of cases covered now. The list begins with the newest publication. */
  readonly count: number;
  readonly updatedAtMs: number;
}

interface Period {
  readonly nowMs: number;
  readonly startedAtMs: number;
  readonly coverageMs: number;
}

const STEPS = 4;
const SHARES = [0.4, 0.55, 0.7, 0.85];
/** The list is refreshed at 03:00 every day. */
const DAILY = '03:00';

export function coverageOf(corpus: Corpus, oab: string, at: Period): Coverage {
  const persona = LAWYERS.find((each) => each.oab === oab);
  const total = Math.min(persona?.cases ?? ordinaryCount(corpus.seed, oab), CORPUS_SIZE[corpus.corpus]);
  const step = stepOf(persona, at);
  if (step < STEPS) {
    const stepMs = Math.floor(at.coverageMs / STEPS);
    return {
      partial: true,
      count: Math.ceil(total * (SHARES[step] ?? 1)),
      updatedAtMs: at.startedAtMs + step * stepMs,
    };
  }
  const today = civilDateOf(at.nowMs);
  const morning = instantOf(today, DAILY) <= at.nowMs ? today : addDays(today, -1);
  const completedAtMs = persona?.coverage === 'complete' ? 0 : at.startedAtMs + at.coverageMs;
  return { partial: false, count: total, updatedAtMs: Math.max(completedAtMs, instantOf(morning, DAILY)) };
}

export function willComplete(oab: string): boolean {
  return LAWYERS.find((each) => each.oab === oab)?.coverage !== 'stays partial';
}

function stepOf(persona: LawyerPersona | undefined, { nowMs, startedAtMs, coverageMs }: Period): number {
  if (persona?.coverage === 'complete') return STEPS;
  const step = coverageMs === 0 ? STEPS : Math.min(STEPS, Math.floor(((nowMs - startedAtMs) * STEPS) / coverageMs));
  return persona?.coverage === 'stays partial' ? Math.min(step, STEPS - 1) : step;
}

/** Length of the complete list of a lawyer who is not a persona. Median 40, p95 800, at most 50,000. */
export function ordinaryCount(seed: string, oab: string): number {
  const draw = deriveInteger(seed, 1_000, 'cases of lawyer', oab);
  const within = (from: number, to: number): number => from + deriveInteger(seed, to - from + 1, 'case count', oab);
  if (draw < 500) return within(1, 40);
  return draw < 950 ? within(41, 800) : within(801, 50_000);
}

/** The `place`-th case of the list; 0 has the latest publication. */
export function lawyerCaseAt(
  corpus: Corpus,
  oab: string,
  place: number,
): { readonly cnj: string; readonly recent: boolean } {
  return { cnj: cnjOfOwner(corpus, oab, place), recent: place < 20 };
}
