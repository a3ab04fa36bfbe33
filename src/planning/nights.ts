/** Which cases are refreshed in which night: first those that were refreshed longest ago and move most. Pure. */
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

interface NightsAsked {
  readonly cases: readonly CaseActivity[];
  readonly nights: readonly CivilDate[];
  readonly budget: Amount;
  /** Of one case; more than zero. */
  readonly price: Amount;
  /** Of the account; undefined: none. */
  readonly dayCap: Amount | undefined;
  readonly nowMs: number;
}

/** Each case once, spread evenly over the nights, as far as budget and day cap go. Nights without a case are left out. */
export function decideNights(asked: NightsAsked): readonly PlannedNight[] {
  const { nights, budget, price, dayCap } = asked;
  const queue = rankCases(asked.cases, asked.nowMs).slice(0, Math.floor(budget / price));
  const most = dayCap === undefined ? Infinity : Math.floor(dayCap / price);
  const planned: PlannedNight[] = [];
  for (const [place, night] of nights.entries()) {
    const share = Math.min(most, Math.ceil(queue.length / (nights.length - place)));
    const cases = queue.splice(0, share).map(({ cnj }) => cnj);
    if (cases.length > 0) planned.push({ night, cases, cost: formatAmount(cases.length * price) });
  }
  return planned;
}

/** A case without a refresh is first; of the others, days since the last one times one more than its movements. Ties keep the list's order. */
function rankCases(cases: readonly CaseActivity[], nowMs: number): CaseActivity[] {
  const rank = ({ refreshedAtMs, movements }: CaseActivity): number =>
    refreshedAtMs === null ? Infinity : (Math.max(0, nowMs - refreshedAtMs) / DAY_MS) * (1 + movements);
  const ranked = cases.map((each) => ({ each, rank: rank(each) }));
  return ranked
    .sort((a, b) => (a.rank === b.rank ? b.each.movements - a.each.movements : b.rank - a.rank))
    .map(({ each }) => each);
}
