/** Results of the proof: a table per flow for people, one JSON line for machines. Pure. */
import type { WorkflowType } from '../../src/protocol/index.js';
import { formatTable } from '../format-table.js';
import { notZero, type Report } from '../report.js';
import type { ParkPlace, Problem, Verdict } from './judge.js';
import type { Pair } from './types.js';

interface Judged {
  readonly pair: Pair;
  readonly verdict: Verdict;
}

/** Figures that must be zero. */
const ZEROS = [
  ...(['differentResults', 'differentCharges', 'doubleCharges', 'booksDiffer'] as const),
  ...(['parkedElsewhere', 'notEnded', 'pointsMissing'] as const),
];

export function reportFlows(
  judged: readonly Judged[],
  problems: readonly Problem[],
  {
    points,
    kills,
    types,
  }: { readonly points: number; readonly kills: number; readonly types: readonly WorkflowType[] },
): Report {
  const met = judged.filter(isMet);
  const count = (kind: Problem['kind']): number => problems.filter((each) => each.kind === kind).length;
  const figures = {
    flows: types.length,
    /** Runs that a kill hit while they ran. */
    points: met.length,
    kills,
    ...countMet(met),
    /** The intent was written, then the process was killed. Tramita cannot tell these from kills after the first byte. */
    betweenIntentAndFirstByte: parksAt(met, 'between intent and first byte'),
    differentResults: count('different result'),
    differentCharges: count('different charges'),
    doubleCharges: count('double charge'),
    booksDiffer: count('books differ'),
    parkedElsewhere: count('parked elsewhere'),
    notEnded: count('not ended'),
    /** Flow types that met fewer kills than requested. */
    pointsMissing: types.filter((type) => ofType(met, type).length < points).length,
  };
  return {
    figures,
    table: flowTable(judged, types),
    broken: notZero(figures, ZEROS),
    problems: problems.map(({ kind, text }) => `${kind}: ${text}`),
  };
}

/** Figures for all runs together, and for each flow type. */
function countMet(met: readonly Judged[]) {
  return {
    equal: met.filter(({ verdict }) => verdict.form === 'equal').length,
    /** Ended as after a lost answer, or counted a parked refresh. */
    lostForm: met.filter(({ verdict }) => verdict.form === 'lost').length,
    parked: met.flatMap(({ verdict }) => verdict.parks).length,
    betweenFirstByteAndSettle: parksAt(met, 'between first byte and settle'),
    knownAnyway: met.reduce((sum, { verdict }) => sum + verdict.knownAnyway, 0),
  };
}

function parksAt(met: readonly Judged[], where: ParkPlace): number {
  return met.flatMap(({ verdict }) => verdict.parks).filter((place) => place === where).length;
}

const HEAD = ['flow', 'points', 'kills', 'equal', 'lost form', 'parked', 'first byte–settle', 'known anyway', 'double'];

function flowTable(judged: readonly Judged[], types: readonly WorkflowType[]): string {
  const rows = types.map((type) => {
    const own = ofType(judged, type).filter(isMet);
    const kills = own.reduce((sum, { pair }) => sum + pair.kills.length, 0);
    const doubles = own.flatMap(({ verdict }) => verdict.problems).filter(({ kind }) => kind === 'double charge');
    return [type, ...[own.length, kills, ...Object.values(countMet(own)), doubles.length].map(String)];
  });
  return formatTable([HEAD, ...rows]);
}

/** A run that ended before its kill is compared as well, but proves nothing. */
function isMet({ pair }: Judged): boolean {
  return pair.kills.length > 0;
}

function ofType(judged: readonly Judged[], type: WorkflowType): readonly Judged[] {
  return judged.filter(({ pair }) => pair.killed.case.type === type);
}
