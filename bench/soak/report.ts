/** What a soak found: a table for people, one line of JSON for machines, and whether every zero is zero. Pure. */
import { formatTable } from '../../soak/format-table.js';
import type { Examined } from './examine.js';
import type { FlowRecord } from './flows.js';

export interface SoakFacts {
  readonly seed: number;
  readonly commit: string;
  readonly flows: readonly FlowRecord[];
  /** How often the fault of each label fired. */
  readonly fired: ReadonlyMap<string, number>;
  /** Labels whose fault fires only where we do what we must not. */
  readonly traps: ReadonlySet<string>;
  readonly examined: Examined;
  readonly seconds: number;
}

export interface SoakSummary {
  /** Flows with a charged call, faulted or not. */
  readonly calls: number;
  readonly faultsFired: number;
  readonly trapsFired: number;
  readonly doubleCharges: number;
  readonly notSentButReached: number;
  readonly lostSilently: number;
  /** Every difference between ledger and charge book, those above included. */
  readonly findings: number;
  readonly keysLeaked: number;
  readonly parked: number;
  readonly decidedByEvidence: number;
  readonly decidedByPerson: number;
  readonly lostRecovered: number;
  readonly lostForGood: number;
  /** Flows that have not ended. */
  readonly undecided: number;
  readonly okRateWithoutFaults: number;
  readonly charges: number;
  /** Upper bound of the rate of double charges with 95 % confidence: 3/N over calls that met a fault. */
  readonly bound95: number;
  readonly seconds: number;
  readonly seed: number;
  readonly commit: string;
}

/** Label of flows that meet no fault. */
export const CONTROL = 'no fault';

export function summarize(facts: SoakFacts): SoakSummary {
  const { flows, fired, traps, examined, seconds, seed, commit } = facts;
  const decisions = flows.flatMap((flow) => flow.decisions);
  const controls = flows.filter(({ label }) => label === CONTROL);
  const good = controls.filter(({ end, parked }) => end?.kind === 'done' && parked.length === 0);
  const count = (kinds: readonly string[]): number =>
    examined.findings.filter(({ kind }) => kinds.includes(kind)).length;
  const faulted = flows.length - controls.length;
  return {
    calls: flows.length,
    faultsFired: sum([...fired].filter(([label]) => !traps.has(label)).map(([, times]) => times)),
    trapsFired: sum([...fired].filter(([label]) => traps.has(label)).map(([, times]) => times)),
    doubleCharges: sum(examined.doubles.values()),
    notSentButReached: examined.reached.length,
    lostSilently: count(['charge without a row', 'denied charge']),
    findings: examined.findings.length,
    keysLeaked: examined.keysLeaked,
    parked: sum(flows.map(({ parked }) => parked.length)),
    decidedByEvidence: examined.rows.filter(({ evidence }) => evidence !== null && evidence['decision'] === undefined)
      .length,
    decidedByPerson: decisions.filter((decision) => decision !== 'resume').length,
    lostRecovered: flows.filter(({ decisions: made, end }) => made.includes('charged with id') && end?.kind === 'done')
      .length,
    lostForGood: flows.filter(
      ({ end }) => end?.kind === 'failed' && ['ChargedLost', 'UnknownCharge'].includes(end.type),
    ).length,
    undecided: flows.filter(({ end }) => end === undefined).length,
    okRateWithoutFaults: controls.length === 0 ? 0 : round(good.length / controls.length),
    charges: examined.charges,
    bound95: faulted === 0 ? 1 : round(3 / faulted),
    ...{ seconds, seed, commit },
  };
}

/** What must be zero and is not; and a soak whose calls all fail proves nothing. */
export function problemsOf(summary: SoakSummary): string[] {
  const zeros = [
    ...(['doubleCharges', 'notSentButReached', 'lostSilently', 'findings', 'keysLeaked', 'trapsFired'] as const),
    'undecided' as const,
  ];
  const problems = zeros.filter((name) => summary[name] !== 0).map((name) => `${name} is ${summary[name]}, not 0`);
  if (summary.okRateWithoutFaults < 1) problems.push(`okRateWithoutFaults is ${summary.okRateWithoutFaults}, not 1`);
  return problems;
}

const COLUMNS = ['fault', 'fired', 'calls', 'ends', 'double', 'recovered', 'lost', 'parked', 'open'] as const;

/** One line per fault. */
export function formatFaults({ flows, fired, examined }: SoakFacts): string {
  const labels = [...new Set([...flows.map(({ label }) => label), ...fired.keys()])].sort(byFault);
  const lines = labels.map((label) => {
    const own = flows.filter((flow) => flow.label === label);
    const lost = own.filter(({ end }) => end?.kind === 'failed' && ['ChargedLost', 'UnknownCharge'].includes(end.type));
    const recovered = own.filter(({ decisions, end }) => decisions.includes('charged with id') && end?.kind === 'done');
    return [
      label,
      String(fired.get(label) ?? '-'),
      String(own.length),
      endsOf(own),
      String(examined.doubles.get(label) ?? 0),
      String(recovered.length),
      String(lost.length),
      String(sum(own.map(({ parked }) => parked.length))),
      String(own.filter(({ end }) => end === undefined).length),
    ];
  });
  return formatTable([[...COLUMNS], ...lines]);
}

function endsOf(flows: readonly FlowRecord[]): string {
  const counts = new Map<string, number>();
  for (const { end } of flows) {
    const name = end === undefined ? 'running' : end.kind === 'done' ? 'done' : end.type;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
}

function byFault(left: string, right: string): number {
  const number = (label: string): number => Number(/^F(\d+)/.exec(label)?.[1] ?? 99);
  return number(left) - number(right) || left.localeCompare(right);
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const each of numbers) total += each;
  return total;
}

function round(value: number): number {
  return Math.round(value * 1_000_000) / 1_000_000;
}
