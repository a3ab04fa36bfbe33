/** `planPortfolio`: which cases of a stored list to refresh each night until a day, within a budget and the account's day cap. */
import {
  addCivilDays,
  countCivilDays,
  formatAmount,
  parseAmount,
  parseCivilDate,
  readCivilDate,
  type Amount,
  type CivilDate,
} from '../contract/index.js';
import { DEFAULT_ACCOUNT } from '../protocol/index.js';
import { createPlanner, noListText, type PlanDeps } from './deps.js';
import { decideNights, type PlannedNight } from './nights.js';
import { billOfRefresh } from './plan-portfolio.js';

/** What to plan: a stored list, a budget and the last night. */
export interface PortfolioNightsInput {
  /** Account of the list; `"default"`. */
  readonly account?: string;
  /** Name of the stored list. */
  readonly list: string;
  /** For all nights together, a decimal string. */
  readonly budget: string;
  /** Last night, a civil day of São Paulo, `yyyy-MM-dd`. */
  readonly by: string;
  /** Also list the public documents of each case, one page. */
  readonly documents?: boolean;
}

/** The proposal: what each night refreshes, and what does not fit. */
export interface PortfolioNights {
  readonly account: string;
  readonly list: string;
  /** Cost of one case, as known from configuration, interface or ledger. */
  readonly price: string;
  readonly nights: readonly PlannedNight[];
  /** Cost of all nights; never more than the budget. */
  readonly cost: string;
  /** Cases for which budget, day cap and nights have no room. */
  readonly left: number;
}

const ACTIVE_DAYS = 90;
const MOST_NIGHTS = 366;

/**
 * Proposes which cases of a stored list to refresh each night, each case at most once: first those whose last refresh is longest
 * ago and that have most movements. Nothing is sent and nothing is written; `tramita portfolio plan --store` makes schedules of it.
 *
 * @throws a `RangeError` `tramita: …` for an invalid account, budget or day, and when no case fits under the budget or the day
 * cap; an `Error` when the list does not exist or the price is not known.
 */
export async function planPortfolio(
  deps: Omit<PlanDeps, 'client'>,
  input: PortfolioNightsInput,
): Promise<PortfolioNights> {
  const planner = createPlanner(deps);
  const nowMs = planner.clock.nowMs();
  const { account, money, nights, dayCap } = readNightsInput(input, { ...deps.config, nowMs });
  const { list, budget, documents = false } = input;
  const since = addCivilDays(nights[0] as CivilDate, -ACTIVE_DAYS);
  const cases = await planner.portfolios.activityOf(account, list, since);
  const [first] = cases;
  if (first === undefined) throw new Error(`tramita: ${noListText(account, list)}`);
  const { lines } = await billOfRefresh(planner, { account, cnj: first.cnj, documents });
  // A line of a call that is already paid has the price of the next such call.
  const prices = lines.map(({ price }) => price);
  if (prices.includes(null)) {
    const unknown = lines.find((line) => line.price === null)?.operation ?? '';
    throw new Error(`tramita: what ${unknown} costs is not known: set it in "prices" of the configuration`);
  }
  const price = prices.reduce<number>((sum, each) => sum + (each ?? 0), 0) as Amount;
  const planned = decideNights({ cases, nights, budget: money, price, dayCap, nowMs });
  const count = planned.reduce((sum, night) => sum + night.cases.length, 0);
  if (count === 0) {
    const cap = dayCap === undefined ? '' : ` and a maxSpendPerDay of ${formatAmount(dayCap)}`;
    throw new RangeError(
      `tramita: a case costs up to ${formatAmount(price)}: budget "${budget}"${cap} has no room for it`,
    );
  }
  return {
    account,
    list,
    nights: planned,
    left: cases.length - count,
    price: formatAmount(price),
    cost: formatAmount(count * price),
  };
}

interface NightsAsked {
  readonly account: string;
  readonly money: Amount;
  readonly nights: readonly CivilDate[];
  readonly dayCap: Amount | undefined;
}

/**
 * What the input says by itself, before the database is asked.
 *
 * @throws a `RangeError` `tramita: …` for an invalid account, budget or day.
 */
export function readNightsInput(
  { account = DEFAULT_ACCOUNT, budget, by }: PortfolioNightsInput,
  { accounts, nowMs }: Pick<PlanDeps['config'], 'accounts'> & { readonly nowMs: number },
): NightsAsked {
  const caps = accounts[account];
  if (caps === undefined) {
    const configured = Object.keys(accounts).join(', ');
    throw new RangeError(`tramita: account "${account}" is not configured; configured accounts: ${configured}`);
  }
  const money = parseAmount(budget);
  if (money === undefined || money <= 0) {
    throw new RangeError(`tramita: budget: seen "${budget}"; expected an amount above zero, like "500.00"`);
  }
  const today = readCivilDate(new Date(nowMs).toISOString()) as CivilDate;
  return { account, money, nights: nightsUntil(by, today), dayCap: caps.maxSpendPerDay };
}

/** From tomorrow on, because today's early hours are over. */
function nightsUntil(by: string, today: CivilDate): readonly CivilDate[] {
  const last = parseCivilDate(by);
  if (last === undefined) throw new RangeError(`tramita: by: seen "${by}"; expected a day, yyyy-MM-dd`);
  const count = countCivilDays(today, last) - 1;
  if (count < 1 || count > MOST_NIGHTS) {
    throw new RangeError(
      `tramita: by: seen "${by}"; expected a day from tomorrow on, at most ${MOST_NIGHTS} nights away`,
    );
  }
  return Array.from({ length: count }, (_, night) => addCivilDays(today, night + 1));
}
