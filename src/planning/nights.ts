/** Decides which cases are refreshed in which night: first those refreshed longest ago with the most movements. Pure. */
import { formatAmount, type Amount, type CivilDate, type Cnj } from '../contract/index.js';
import { DAY_MS } from '../contract/values/index.js';
import type { CaseActivity } from '../records/index.js';

/** What one night refreshes, and what that costs at most. */
export interface PlannedNight {
  /** Civil day of São Paulo in whose early hours it runs. */
  readonly night: CivilDate;
  readonly cases: readonly Cnj[];
  /** Decimal string. */
  readonly cost: string;
}

interface NightsInput {
  readonly cases: readonly CaseActivity[];
  readonly nights: readonly CivilDate[];
  readonly budget: Amount;
  /** Price of one case; more than zero. */
  readonly price: Amount;
  /** Daily cap of the account, if it has one. */
  readonly dayCap: Amount | undefined;
  readonly nowMs: number;
}

/** Spreads the cases evenly over the nights, each case once, as far as budget and day cap allow. Empty nights are left out. */
export function decideNights(input: NightsInput): readonly PlannedNight[] {
  const { nights, budget, price, dayCap } = input;
  const queue = rankCases(input.cases, input.nowMs).slice(0, Math.floor(budget / price));
  const perNight = dayCap === undefined ? Infinity : Math.floor(dayCap / price);
  const planned: PlannedNight[] = [];
  for (const [place, night] of nights.entries()) {
    const share = Math.min(perNight, Math.ceil(queue.length / (nights.length - place)));
    const cases = queue.splice(0, share).map(({ cnj }) => cnj);
    if (cases.length > 0) planned.push({ night, cases, cost: formatAmount(cases.length * price) });
  }
  return planned;
}

/**
 * Cases without a refresh come first; the others rank by days since their refresh × (1 + movements). Of equal ranks more
 * movements come first, else the list's order stays.
 */
function rankCases(cases: readonly CaseActivity[], nowMs: number): CaseActivity[] {
  const rank = ({ refreshedAtMs, movements }: CaseActivity): number =>
    refreshedAtMs === null ? Infinity : (Math.max(0, nowMs - refreshedAtMs) / DAY_MS) * (1 + movements);
  const ranked = cases.map((each) => ({ each, rank: rank(each) }));
  return ranked
    .sort((a, b) => (a.rank === b.rank ? b.each.movements - a.each.movements : b.rank - a.rank))
    .map(({ each }) => each);
}
