/** What must hold for a portfolio under a cap, and a sentence for each violation. Pure. */
import { parseAmount } from '../../src/contract/index.js';
import { isFlat } from './memory.js';
import type { Report } from '../report.js';
import type { ItemCount, Latency, Memory, Priorities, Round } from './types.js';

export interface Found {
  readonly cases: readonly string[];
  /** Number of cases that the command reported as stored. */
  readonly loaded: number;
  readonly price: number;
  readonly refreshed: number;
  readonly first: Round;
  /** The same key and the same cap again. */
  readonly second: Round;
  /** The same key, with a cap that allows a few more refreshes. */
  readonly third: Round;
  readonly kills: { readonly wanted: number; readonly done: number };
  /** The auditor's findings about all refreshes. */
  readonly audit: readonly string[];
  readonly decidedByPerson: number;
  /** Bytes that a refreshed case adds to the database. */
  readonly bytesPerCase: number;
  readonly memory: Memory | null;
  readonly latency: Latency;
  readonly priorities: Priorities;
  readonly seconds: number;
}

/** A person's refresh must not take longer than the sweep's at that time; medians of few samples vary. */
const MOST_SLOWER = 1.5;
const ENOUGH_SAMPLES = 20;

export function judge(found: Found): Report {
  const { cases, first, second, third, refreshed, memory, kills } = found;
  const { failed, parked, skipped } = first.result;
  const [charged, chargedSecond, chargedThird] = [first, second, third].map(({ charges }) => sumOf(charges)) as [
    number,
    number,
    number,
  ];
  const doubleCharges = cases.filter((cnj) => (third.charges.get(cnj) ?? 0) > 1).length;
  return {
    figures: {
      cases: cases.length,
      /** Cases charged, and refreshed to their end, when the first start was over. */
      refreshed: first.charges.size,
      /** Cases that were not refreshed, because the cap was used up. */
      cappedOut: cases.length - first.charges.size,
      // Parked refreshes are reported as parked; a person settled them by the charge book.
      failed,
      parked,
      skipped,
      doubleCharges,
      booksDiffer: found.audit.length,
      /** Charges after a second start with the same key and the same cap: nothing may be left to buy. */
      chargedAgain: chargedSecond - charged,
      /** Charges after a third start, whose cap allows this many more. */
      resumed: chargedThird - chargedSecond,
      kills: kills.done,
      decidedByPerson: found.decidedByPerson,
      databaseBytesPerCase: Math.round(found.bytesPerCase),
      /** Null when the system does not show it (no /proc). */
      memory,
      latencySeconds: found.latency,
      seconds: found.seconds,
    },
    broken: [],
    problems: [
      ...(found.loaded === cases.length ? [] : [`the list has ${found.loaded} cases instead of ${cases.length}`]),
      ...(kills.done === kills.wanted ? [] : [`${kills.done} kills instead of ${kills.wanted}`]),
      ...(doubleCharges === 0 ? [] : [`${doubleCharges} cases were charged twice`]),
      ...found.audit,
      ...problemsOfFirst(found),
      ...problemsOfLater(found),
      ...(memory === null || isFlat(memory) ? [] : [`the worker grew: ${JSON.stringify(memory)}`]),
      ...problemsOfPeople(found, refreshed),
    ],
  };
}

function problemsOfFirst({ cases, refreshed, first, price, decidedByPerson }: Found): readonly string[] {
  const { result, charges, items, done, waiting } = first;
  const { spent } = result;
  const known = parseAmount(spent.known) ?? -1;
  const atMost = known + spent.unknown * price;
  return [
    ...(charges.size === refreshed ? [] : [`${charges.size} cases were charged, the cap pays for ${refreshed}`]),
    ...problemsOfCounts('first', { cases, round: first }),
    ...(itemsOf(items) === cases.length ? [] : [`its table has ${itemsOf(items)} cases`]),
    ...(result.failed + result.skipped === 0 ? [] : [`${result.failed} failed and ${result.skipped} were skipped`]),
    ...(result.stoppedBy === 'budget' ? [] : [`it was stopped by ${result.stoppedBy ?? 'nothing'}, not by its cap`]),
    ...listed(
      'called done and not charged',
      done.filter((cnj) => !charges.has(cnj)),
    ),
    ...listed(
      'called remaining and charged',
      waiting.filter((cnj) => charges.has(cnj)),
    ),
    // After a person's decision about a call, the row of the lost call remains beside the new one.
    ...(known <= refreshed * price && (decidedByPerson > 0 || atMost === refreshed * price)
      ? []
      : [`it says that it spent ${spent.known}, and ${spent.unknown} unknown`]),
  ];
}

/** No further charge under the same cap; exactly as many as fit under a higher one. */
function problemsOfLater({ cases, first, second, third }: Found): readonly string[] {
  const before = first.result;
  const more = third.cap - second.cap;
  const addedBySecond = sumOf(second.charges) - sumOf(first.charges);
  const addedByThird = sumOf(third.charges) - sumOf(second.charges);
  return [
    ...problemsOfCounts('second', { cases, round: second }),
    ...problemsOfCounts('third', { cases, round: third }),
    ...(addedBySecond === 0 ? [] : [`the second start, under the same cap, was charged ${addedBySecond} times`]),
    ...(second.result.done === before.done ? [] : [`the second start knows ${second.result.done} done`]),
    ...(addedByThird === more ? [] : [`the third start had room for ${more} and was charged ${addedByThird} times`]),
    ...(third.result.done === before.done + more ? [] : [`the third start knows ${third.result.done} done`]),
  ];
}

function problemsOfCounts(
  which: string,
  { cases, round }: { readonly cases: readonly string[]; readonly round: Round },
): readonly string[] {
  const { done, failed, parked, skipped, remaining } = round.result;
  const sum = done + failed + parked + skipped + remaining;
  return sum === cases.length ? [] : [`the counts of the ${which} start add up to ${sum}`];
}

function problemsOfPeople({ priorities, latency }: Found, refreshed: number): readonly string[] {
  const last = Math.max(...priorities.interactive);
  const behind = priorities.sweep.every((key) => key > last);
  const { interactive, sweep, sweepSamples } = latency;
  const slower = sweepSamples >= ENOUGH_SAMPLES && interactive > sweep * MOST_SLOWER;
  return [
    ...(refreshed === 0 || behind ? [] : ['people are not queued before the sweep']),
    ...(slower ? [`people waited ${interactive} s, the sweep ${sweep} s`] : []),
  ];
}

function itemsOf(items: readonly ItemCount[]): number {
  return items.reduce((sum, { cases }) => sum + cases, 0);
}

function sumOf(charges: ReadonlyMap<string, number>): number {
  return [...charges.values()].reduce((sum, count) => sum + count, 0);
}

function listed(what: string, cases: readonly string[]): readonly string[] {
  return cases.length === 0 ? [] : [`${cases.length} cases ${what}, e.g. ${cases[0] ?? ''}`];
}
