/** What the proof has found: a table per flow for people, one JSON line for machines. Pure. */
import type { WorkflowType } from '../../src/protocol/index.js';
import { formatTable } from '../format-table.js';
import type { Problem, Verdict } from './judge.js';
import type { Pair } from './types.js';

export interface Judged {
  readonly pair: Pair;
  readonly verdict: Verdict;
}

export interface FlowFigures {
  readonly flows: number;
  /** Runs that met a kill on their way. */
  readonly points: number;
  readonly kills: number;
  readonly equal: number;
  /** Ended in the form in which a lost answer ends, or counted a parked refresh. */
  readonly lostForm: number;
  readonly parked: number;
  readonly betweenFirstByteAndSettle: number;
  /** The intent was written, and then the process was gone. Tramita cannot tell these from the former. */
  readonly betweenIntentAndFirstByte: number;
  readonly knownAnyway: number;
  readonly differentResults: number;
  readonly differentCharges: number;
  readonly doubleCharges: number;
  readonly booksDiffer: number;
  readonly parkedElsewhere: number;
  readonly notEnded: number;
  /** Flow types that met fewer kills than asked for. */
  readonly pointsMissing: number;
}

interface About {
  readonly points: number;
  readonly kills: number;
  readonly types: readonly WorkflowType[];
}

export function buildFigures(judged: readonly Judged[], problems: readonly Problem[], about: About): FlowFigures {
  const met = judged.filter(isMet);
  const count = (kind: Problem['kind']): number => problems.filter((each) => each.kind === kind).length;
  const parks = met.flatMap(({ verdict }) => verdict.parks);
  return {
    flows: about.types.length,
    points: met.length,
    kills: about.kills,
    equal: met.filter(({ verdict }) => verdict.form === 'equal').length,
    lostForm: met.filter(({ verdict }) => verdict.form === 'lost').length,
    parked: parks.length,
    betweenFirstByteAndSettle: parks.filter((place) => place === 'between first byte and settle').length,
    betweenIntentAndFirstByte: parks.filter((place) => place === 'between intent and first byte').length,
    knownAnyway: met.reduce((sum, { verdict }) => sum + verdict.knownAnyway, 0),
    differentResults: count('different result'),
    differentCharges: count('different charges'),
    doubleCharges: count('double charge'),
    booksDiffer: count('books differ'),
    parkedElsewhere: count('parked elsewhere'),
    notEnded: count('not ended'),
    pointsMissing: about.types.filter((type) => ofType(met, type).length < about.points).length,
  };
}

const ZEROS = [
  ...(['differentResults', 'differentCharges', 'doubleCharges', 'booksDiffer'] as const),
  ...(['parkedElsewhere', 'notEnded', 'pointsMissing'] as const),
];

/** What must be zero and is not. */
export function problemsOf(figures: FlowFigures): readonly string[] {
  return ZEROS.filter((name) => figures[name] !== 0).map((name) => `${name} is ${figures[name]}, not 0`);
}

const HEAD = ['flow', 'points', 'kills', 'equal', 'lost form', 'parked', 'first byte–settle', 'known anyway', 'double'];

export function flowTable(judged: readonly Judged[], types: readonly WorkflowType[]): string {
  const rows = types.map((type) => {
    const own = ofType(judged, type).filter(isMet);
    const parks = own.flatMap(({ verdict }) => verdict.parks);
    return [
      type,
      own.length,
      own.reduce((sum, { pair }) => sum + pair.kills.length, 0),
      own.filter(({ verdict }) => verdict.form === 'equal').length,
      own.filter(({ verdict }) => verdict.form === 'lost').length,
      parks.length,
      parks.filter((place) => place === 'between first byte and settle').length,
      own.reduce((sum, { verdict }) => sum + verdict.knownAnyway, 0),
      own.flatMap(({ verdict }) => verdict.problems).filter(({ kind }) => kind === 'double charge').length,
    ].map(String);
  });
  return formatTable([HEAD, ...rows]);
}

/** One that was over before a kill came is compared all the same, and proves nothing. */
function isMet({ pair }: Judged): boolean {
  return pair.kills.length > 0;
}

function ofType(judged: readonly Judged[], type: WorkflowType): readonly Judged[] {
  return judged.filter(({ pair }) => pair.killed.case.type === type);
}
