/**
 * What a killed run must show, compared with its undisturbed twin: the same result, or its lost form when a person had to say
 * that a charged answer is lost; the same charges; each of them in the ledger as in the book; and a park only when a kill hit a
 * call in progress. Pure.
 */
import { parseAmount, type Json, type JsonObject } from '../../src/contract/index.js';
import type { LedgerRow } from '../../src/ledger/index.js';
import type { Receipt, Spent } from '../../src/protocol/index.js';
import type { Charge } from '../../sandbox/index.js';
import { auditBooks } from '../../src/testing/index.js';
import type { Parking } from '../flow-book.js';
import { names } from './charges.js';
import { difference, normalise } from './normalise.js';
import type { FlowRun, Pair } from './types.js';

type ProblemKind =
  'different result' | 'different charges' | 'double charge' | 'books differ' | 'parked elsewhere' | 'not ended';

export interface Problem {
  readonly kind: ProblemKind;
  readonly text: string;
}

export interface Facts {
  readonly undisturbed: readonly Charge[];
  readonly killed: readonly Charge[];
  /** Ledger rows of the killed run that made a call. */
  readonly rows: readonly LedgerRow[];
  /** When the request of a charge arrived, by the number of the charge. */
  readonly reachedAtMs: ReadonlyMap<number, number>;
}

/** Where in its call a kill struck, for a park. */
export type ParkPlace = 'between first byte and settle' | 'between intent and first byte' | 'elsewhere';

export interface Verdict {
  readonly form: 'equal' | 'lost' | 'other';
  readonly parks: readonly ParkPlace[];
  /** Calls hit between first byte and settlement for which no person was asked: free evidence or the spool decided them. */
  readonly knownAnyway: number;
  readonly problems: readonly Problem[];
}

/** The service logs requests by the harness's clock, and reads a request a moment after it was sent. */
const MARGIN_MS = 1_000;

export function judge(pair: Pair, facts: Facts): Verdict {
  const { killed } = pair;
  const name = `${killed.case.type} ${killed.case.n}`;
  const result = compareResults(pair, facts);
  const parks = killed.parked.map((parking) => placeOf(parking, pair.kills, facts));
  const lost = result.form === 'lost';
  const all: Problem[] = [
    ...result.problems,
    ...compareCharges(facts, lost),
    ...compareBooks(facts),
    ...killed.parked.flatMap(({ attention, step, row }, place): Problem[] =>
      parks[place] === 'elsewhere'
        ? [
            {
              kind: 'parked elsewhere',
              text: `${attention} at ${step} (${row?.state ?? 'no row'}), no kill fell there`,
            },
          ]
        : [],
    ),
  ];
  const problems = all.map(({ kind, text }) => ({ kind, text: `${name}: ${text}` }));
  return { form: result.form, parks, knownAnyway: countKnownAnyway(pair, facts), problems };
}

function compareResults({ undisturbed, killed }: Pair, { rows }: Facts): Pick<Verdict, 'form' | 'problems'> {
  const other = (kind: ProblemKind, text: string) => ({ form: 'other' as const, problems: [{ kind, text }] });
  const [first, second] = [undisturbed.ending, killed.ending];
  if (first.kind === 'not ended') return other('not ended', 'the undisturbed run has not ended');
  if (second.kind === 'not ended') return other('not ended', 'it has not ended');
  if (first.kind === 'failed') return other('different result', `the undisturbed run failed: ${first.type}`);
  if (second.kind === 'failed') {
    const known = killed.parked.some(({ charge }) => charge !== undefined);
    if (second.type !== 'ChargedLost' || !known) return other('different result', `it failed: ${second.type}`);
    const problem = compareBeginning(receiptsOf(first.result), receiptsOf(second.details));
    return problem === undefined ? { form: 'lost', problems: [] } : other('different result', problem);
  }
  if (killed.case.type === 'refreshPortfolio') return comparePortfolios(first.result, second.result);
  const problem =
    difference(normalise(first.result), normalise(second.result)) ?? compareMoney(first.result, second.result);
  if (problem === undefined) return { form: 'equal', problems: [] };
  const tellable = rows.some(isProven) ? comparable : (result: JsonObject): JsonObject => result;
  const expected = tellable(withoutLostTexts(first.result, killed.parked));
  const problemInLostForm =
    difference(normalise(expected), normalise(tellable(second.result))) ?? compareMoney(first.result, second.result);
  return problemInLostForm === undefined
    ? { form: 'lost', problems: [] }
    : other('different result', problemInLostForm);
}

/** A lost charged text does not end a sync: it continues without the text. One call may be found parked more than once. */
function withoutLostTexts(result: JsonObject, parked: FlowRun['parked']): JsonObject {
  const texts = parked.filter(({ operation, charge }) => operation === 'getPublication' && charge !== undefined);
  const lost = new Set(texts.map(({ step }) => step)).size;
  return lost === 0 ? result : { ...result, fullTexts: Number(result['fullTexts']) - lost };
}

/** Drops what only the lost answer of a creation said: the listing shows the monitor, but not its callback settings and billing. */
function comparable({ monitor, spent: _spent, ...result }: JsonObject): JsonObject {
  if (monitor === undefined) return result;
  const { callback: _callback, billing: _billing, ...shown } = monitor as JsonObject;
  return { ...result, monitor: shown };
}

/** A portfolio does not wait for parked refreshes, it counts them. Each of them is still followed to its end. */
function comparePortfolios(first: JsonObject, second: JsonObject): Pick<Verdict, 'form' | 'problems'> {
  const counted = (result: JsonObject): JsonObject => ({ ...result, done: sum(result, 'done', 'parked'), parked: 0 });
  const problem = difference(normalise(counted(first)), normalise(counted(second)));
  if (problem !== undefined) return { form: 'other', problems: [{ kind: 'different result', text: problem }] };
  return { form: second['parked'] === 0 ? 'equal' : 'lost', problems: [] };
}

function sum(result: JsonObject, ...members: readonly string[]): number {
  return members.reduce((total, member) => total + Number(result[member]), 0);
}

/** Amounts that evidence cannot show are `null` and counted as unknown; everything else is as in the undisturbed run. */
function compareMoney(first: JsonObject, second: JsonObject): string | undefined {
  const [paid, reported] = [receiptsOf(first), receiptsOf(second)];
  const beginning = compareBeginning(paid, reported);
  if (beginning !== undefined) return beginning;
  if (paid.length !== reported.length) return `${paid.length} receipts and ${reported.length}`;
  const missingAmounts = reported.flatMap(({ amount }, place) =>
    amount === null ? [amountOf(paid[place]?.amount ?? '0')] : [],
  );
  const [spent, known] = [first['spent'], second['spent']] as unknown as readonly [Spent, Spent];
  const missing = missingAmounts.reduce((total, amount) => total + amount, 0);
  // Nobody can know whether the first of two equal DELETEs was charged.
  const unknown = missingAmounts.length + repeatsOf(second).length;
  return known.unknown === unknown && amountOf(known.known) + missing === amountOf(spent.known)
    ? undefined
    : `spent ${JSON.stringify(spent)} and ${JSON.stringify(known)}`;
}

/** The paid steps of the killed run are a beginning of those of the undisturbed run. */
function compareBeginning(paid: readonly Receipt[], reported: readonly Receipt[]): string | undefined {
  for (const [place, { step, amount }] of reported.entries()) {
    const twin = paid[place];
    if (twin?.step !== step) return `receipt ${place + 1} is of ${step}, undisturbed of ${twin?.step ?? 'nothing'}`;
    if (amount !== null && amount !== twin.amount) return `${step} was ${amount}, undisturbed ${twin.amount}`;
  }
  return undefined;
}

/** Without sends that a person knew to be unpaid, and without sends that were repeated. */
function receiptsOf(result: JsonObject): readonly Receipt[] {
  const repeats = repeatsOf(result);
  return allReceipts(result).filter((receipt) => receipt.outcome !== 'NOT_SENT' && !repeats.includes(receipt));
}

/** Sends with an unknown end that were then repeated. */
function repeatsOf(result: JsonObject): readonly Receipt[] {
  const receipts = allReceipts(result);
  return receipts.filter(({ outcome, step }, place) => outcome === 'UNKNOWN' && receipts[place + 1]?.step === step);
}

function allReceipts(result: JsonObject): readonly Receipt[] {
  return (result['receipts'] ?? []) as unknown as readonly Receipt[];
}

function compareCharges({ undisturbed, killed }: Facts, lost: boolean): readonly Problem[] {
  const expected = countCharges(undisturbed);
  const seen = countCharges(killed);
  const problems: Problem[] = [];
  for (const [call, { count, amount }] of seen) {
    const twin = expected.get(call) ?? { count: 0, amount: 0 };
    if (count > twin.count)
      problems.push({ kind: 'double charge', text: `${call} was charged ${count} times, undisturbed ${twin.count}` });
    else if (count === twin.count && amount !== twin.amount)
      problems.push({ kind: 'different charges', text: `${call} cost ${amount}, undisturbed ${twin.amount}` });
  }
  const missing = [...expected].filter(([call, { count }]) => (seen.get(call)?.count ?? 0) < count);
  if (lost) return problems;
  return [
    ...problems,
    ...missing.map(([call]): Problem => ({ kind: 'different charges', text: `${call} was charged less often` })),
  ];
}

function countCharges(
  charges: readonly Charge[],
): ReadonlyMap<string, { readonly count: number; readonly amount: number }> {
  const counts = new Map<string, { count: number; amount: number }>();
  for (const { operation, about, amount } of charges) {
    const call = `${operation} ${about}`;
    const before = counts.get(call) ?? { count: 0, amount: 0 };
    counts.set(call, { count: before.count + 1, amount: before.amount + amount });
  }
  return counts;
}

/** The auditor's findings. The comparison with the twin decides how often a call may be paid. */
function compareBooks({ undisturbed, killed, rows }: Facts): readonly Problem[] {
  const asked = new Map<string, number>();
  for (const charge of undisturbed) asked.set(callOf(charge), (asked.get(callOf(charge)) ?? 0) + 1);
  const findings = auditBooks({
    ledger: rows,
    book: killed,
    asked,
    decisionsAreTrue: true,
    // A row does not contain its call's name: the auditor matches it by the ids of its charge.
    subjectOf: { row: () => '', charge: () => '' },
  });
  return findings.map(({ kind, text }) => ({ kind: kind === 'paid twice' ? 'double charge' : 'books differ', text }));
}

/** The auditor's name of a call without a subject. */
function callOf({ operation }: Charge): string {
  return `${operation} `;
}

/** Whether free evidence has found that the call was made. */
function isProven({ evidence }: Pick<LedgerRow, 'evidence'>): boolean {
  return evidence?.['proof'] !== undefined || evidence?.['adopted'] !== undefined;
}

function placeOf(
  { attention, row, charge, atMs }: Parking,
  kills: readonly number[],
  { reachedAtMs: reached }: Facts,
): ParkPlace {
  const openedAtMs = row?.openedAtMs ?? Infinity;
  const hits = kills.filter((kill) => kill >= openedAtMs && kill <= atMs);
  const reachedAtMs = charge === undefined ? undefined : reached.get(charge.n);
  if ((attention !== 'unknown-charge' && attention !== 'charged-lost') || hits.length === 0) return 'elsewhere';
  if (reachedAtMs === undefined) return 'between intent and first byte';
  return hits.some((kill) => reachedAtMs <= kill + MARGIN_MS) ? 'between first byte and settle' : 'elsewhere';
}

/** A 202 is answered long before its row is settled: without evidence, only calls with an immediate answer are counted. */
function countKnownAnyway({ killed, kills }: Pair, { killed: book, rows, reachedAtMs }: Facts): number {
  const parked = new Set(killed.parked.map(({ row }) => row?.intentId));
  return rows.filter((row) => {
    if (parked.has(row.intentId)) return false;
    const charge = book.find((each) => names(row, each));
    const reached = row.requestId === null && charge !== undefined ? reachedAtMs.get(charge.n) : undefined;
    const from = isProven(row) ? Date.parse(row.openedAt ?? '') : (reached ?? Infinity);
    return kills.some((kill) => from <= kill && kill < Date.parse(row.settledAt ?? ''));
  }).length;
}

function amountOf(text: string | Json): number {
  return typeof text === 'string' ? (parseAmount(text) ?? NaN) : NaN;
}
