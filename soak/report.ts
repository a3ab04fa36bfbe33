/** What a soak has found: a table per fault for people, one JSON line for machines. Pure. */
import type { Problem } from './audit.js';
import { formatTable } from './format-table.js';
import type { EndedCall, SoakOptions } from './types.js';

export interface SoakFigures {
  readonly calls: number;
  readonly faultsFired: number;
  readonly doubleCharges: number;
  readonly notSentButReached: number;
  readonly lostSilently: number;
  /** Flows that waited for a person at least once. */
  readonly parked: number;
  /** Flows that had not ended. */
  readonly undecided: number;
  /** Unknown charges that free evidence decided. */
  readonly decidedByEvidence: number;
  readonly decidedByPerson: number;
  readonly otherProblems: number;
  readonly kills: number;
  readonly pauses: number;
  /** Of Temporal and PostgreSQL together. */
  readonly restarts: number;
  /** Times that all connections of the workers to one of them were reset. */
  readonly cuts: number;
  /** Fail-overs of the database that lost its last commits. */
  readonly failovers: number;
  /** Worker processes that ended by themselves and had to be started again. */
  readonly workersLost: number;
  readonly okRateWithoutFaults: number;
  /** 95 % upper bound of the rate of a failure that was never seen: 3/N. */
  readonly bound95: number;
  readonly seed: number;
  readonly commit: string;
  readonly seconds: number;
}

export function buildFigures(facts: {
  readonly ended: readonly EndedCall[];
  readonly problems: readonly Problem[];
  readonly fired: number;
  readonly evidence: number;
  readonly kills: number;
  readonly pauses: number;
  readonly restarts: number;
  readonly cuts: number;
  readonly failovers: number;
  readonly workersLost: number;
  readonly options: SoakOptions;
  readonly commit: string;
  readonly seconds: number;
}): SoakFigures {
  const { ended, problems, options } = facts;
  const count = (...kinds: readonly Problem['kind'][]): number =>
    problems.filter(({ kind }) => kinds.includes(kind)).length;
  const faultless = ended.filter(({ call }) => call.fault === undefined);
  const ok = faultless.filter(({ end, failure }) => end === 'done' || failure === 'NotFound' || failure === 'Rejected');
  return {
    calls: ended.length,
    faultsFired: facts.fired,
    doubleCharges: count('double charge'),
    notSentButReached: count('not sent but reached'),
    lostSilently: count('lost silently'),
    parked: ended.filter(({ parked }) => parked.length > 0).length,
    undecided: count('not ended'),
    decidedByEvidence: facts.evidence,
    decidedByPerson: ended.reduce((sum, { decisions }) => sum + decisions, 0),
    otherProblems: count('left open', 'sum', 'shared connection', 'other answer'),
    kills: facts.kills,
    pauses: facts.pauses,
    restarts: facts.restarts,
    cuts: facts.cuts,
    failovers: facts.failovers,
    workersLost: facts.workersLost,
    okRateWithoutFaults: faultless.length === 0 ? 1 : Math.round((ok.length / faultless.length) * 10_000) / 10_000,
    bound95: ended.length === 0 ? 1 : 3 / ended.length,
    seed: options.seed,
    commit: facts.commit,
    seconds: facts.seconds,
  };
}

/** True when a figure that must be zero is not. */
export function isBroken(figures: SoakFigures): boolean {
  const { doubleCharges, notSentButReached, lostSilently, undecided, otherProblems } = figures;
  return doubleCharges + notSentButReached + lostSilently + undecided + otherProblems > 0;
}

export function faultTable(
  ended: readonly EndedCall[],
  problems: readonly Problem[],
  fired: ReadonlyMap<string, number>,
): string {
  const faults = [...new Set(ended.map(({ call }) => call.fault?.fault ?? 'none'))].sort(byNumber);
  const rows = faults.map((fault) => {
    const own = ended.filter(({ call }) => (call.fault?.fault ?? 'none') === fault);
    const failures = new Map<string, number>();
    for (const { end, failure } of own) {
      const key = end === 'done' ? 'done' : (failure ?? end);
      failures.set(key, (failures.get(key) ?? 0) + 1);
    }
    return [
      fault,
      String(fired.get(fault) ?? 0),
      String(own.length),
      [...failures].map(([key, times]) => `${key} ${times}`).join(', '),
      String(problems.filter(({ kind, text }) => kind === 'double charge' && text.includes(`(${fault})`)).length),
      String(own.filter(({ failure }) => failure === 'ChargedLost').length),
      String(own.filter(({ parked }) => parked.length > 0).length),
    ];
  });
  const head = ['fault', 'fired', 'calls', 'outcomes', 'double', 'lost', 'parked'];
  return formatTable([head, ...rows]);
}

function byNumber(left: string, right: string): number {
  return Number(left.slice(1)) - Number(right.slice(1)) || left.localeCompare(right);
}
