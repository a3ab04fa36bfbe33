/** Results of a soak of charged calls: a table with a line per fault for people, figures for machines. Pure. */
import { isDecidedByEvidence, type Audited } from '../books.js';
import type { Disturbed } from '../disturb.js';
import type { Flow } from '../flow-book.js';
import { formatTable } from '../format-table.js';
import { notZero, type Report } from '../report.js';
import type { FindingKind } from '../../src/testing/index.js';
import { FAULT_ROWS } from './faults.js';

export interface CallFacts {
  /** How often the faults of each label have fired. */
  readonly fired: ReadonlyMap<string, number>;
  readonly flows: readonly Flow[];
  readonly audited: Audited;
  readonly disturbed: Disturbed;
}

/** Label of flows that meet no fault. */
export const NO_FAULT = 'no fault';

/** Faults that fire only when tramita does something forbidden. */
const TRAPS = FAULT_ROWS.filter(({ trap }) => trap === true).map(({ label }) => `${label} (`);

/** Figures that must be zero. */
const ZEROS = [
  ...(['doubleCharges', 'notSentButReached', 'lostSilently', 'findings', 'keysLeaked'] as const),
  ...(['trapsFired', 'undecided'] as const),
];

/** `exposed`: calls that something may have hit; `okRate`: whether every call without a fault must be answered. */
export function reportCalls(
  facts: CallFacts,
  { exposed, okRate = false }: { readonly exposed: number; readonly okRate?: boolean },
): Report {
  const { flows, audited, fired, disturbed } = facts;
  const { findings } = audited;
  const count = (...kinds: readonly FindingKind[]): number =>
    findings.filter(({ kind }) => kinds.includes(kind)).length;
  const firedOf = (isTrap: boolean): number =>
    sum(
      [...fired].filter(([label]) => TRAPS.some((trap) => label.startsWith(trap)) === isTrap).map(([, times]) => times),
    );
  const faultless = flows.filter(({ label }) => label === NO_FAULT);
  const money = {
    doubleCharges: sum(findings.map(({ surplus = 0 }) => surplus)),
    notSentButReached: count('reached unsent'),
    lostSilently: count('charge without a row', 'denied charge', 'row without a charge'),
    keysLeaked: count('key leaked'),
  };
  const figures = {
    /** Flows with a charged call, with or without a fault. */
    calls: flows.length,
    faultsFired: firedOf(false),
    trapsFired: firedOf(true),
    ...money,
    otherProblems: count('facts differ', 'left open', 'sums differ', 'shared connection'),
    /** Every difference between ledger and charge book, including those above. */
    findings: findings.length,
    /** Flows that waited for a person at least once. */
    parked: flows.filter(({ parked }) => parked.length > 0).length,
    /** Flows that have not ended. */
    undecided: flows.filter(({ end }) => end === undefined).length,
    decidedByEvidence: audited.rows.filter(isDecidedByEvidence).length,
    decidedByPerson: flows.flatMap(({ decisions }) => decisions).filter((decision) => decision !== 'resume').length,
    lostRecovered: flows.filter(isRecovered).length,
    lostForGood: flows.filter(isLost).length,
    charges: audited.charges.length,
    okRateWithoutFaults: faultless.length === 0 ? 1 : round(faultless.filter(isAnswered).length / faultless.length),
    /** 95 % upper bound of the rate of a failure that was never observed: 3/N. */
    bound95: exposed === 0 ? 1 : round(3 / exposed),
    ...disturbed,
  };
  const isDull = okRate && figures.okRateWithoutFaults < 1;
  return {
    figures,
    table: callTable(facts),
    problems: findings.map(({ kind, text }) => `${kind}: ${text}`),
    broken: [
      ...notZero(figures, ZEROS),
      // A soak in which all calls fail proves nothing.
      ...(isDull ? [`okRateWithoutFaults is ${figures.okRateWithoutFaults}, not 1`] : []),
    ],
  };
}

const HEAD = ['fault', 'fired', 'calls', 'ends', 'double', 'recovered', 'lost', 'parked', 'open'];

function callTable({ flows, fired, audited }: CallFacts): string {
  const labels = [...new Set([...flows.map(({ label }) => label), ...fired.keys()])].sort(byFault);
  const surplus = new Map(audited.findings.map(({ call = '', surplus: more = 0 }) => [call.split(' ').at(-1), more]));
  const rows = labels.map((label) => {
    const own = flows.filter((flow) => flow.label === label);
    return [
      label,
      String(fired.get(label) ?? '-'),
      ...[
        own.length,
        endsOf(own),
        sum(own.flatMap(({ abouts }) => abouts.map((about) => surplus.get(about) ?? 0))),
        own.filter(isRecovered).length,
        own.filter(isLost).length,
        own.filter(({ parked }) => parked.length > 0).length,
        own.filter(({ end }) => end === undefined).length,
      ].map(String),
    ];
  });
  return formatTable([HEAD, ...rows]);
}

/** Whether it returned a body, or a refusal of the service. */
export function isAnswered({ end }: Flow): boolean {
  return end?.kind === 'done' || (end?.kind === 'failed' && ['NotFound', 'Rejected'].includes(end.type));
}

function isRecovered({ decisions, end }: Flow): boolean {
  return decisions.includes('charged with id') && end?.kind === 'done';
}

function isLost({ end }: Flow): boolean {
  return end?.kind === 'failed' && ['ChargedLost', 'UnknownCharge'].includes(end.type);
}

function endsOf(flows: readonly Flow[]): string {
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
