/** A portfolio refreshes each of its cases: each refresh is planned as a flow, and all share the portfolio's cap. */
import { parseAmount, present, type Cnj } from '../contract/index.js';
import { limitsOf } from '../ledger/index.js';
import { nameCase, type FlowSettings } from '../protocol/index.js';
import { onceOf } from '../records/index.js';
import type { Bill, PlannedFlows } from './bill.js';
import type { Planner } from './deps.js';
import { billOf } from './flows/index.js';

export async function planRefreshPortfolio(
  planner: Planner,
  settings: FlowSettings<'refreshPortfolio'>,
): Promise<PlannedFlows> {
  const { account, name, documents, maxAgeMs, once, maxSpend } = settings;
  // A start without `once` is a new round, of which nothing is paid yet.
  const round = once === undefined ? undefined : `${account}/${name}/once/${once}`;
  const cases = await casesOf(planner, settings, round);
  if (cases === undefined) {
    const problem = `input.name "${name}": there is no stored list of that name for account "${account}"`;
    return { bills: [], limits: limitsOf(planner.settings, { account }), budgetKey: null, problem };
  }
  const bills: Bill[] = [];
  for (const cnj of cases) {
    const { key } = nameCase(planner, account, cnj);
    const reuse = present({ maxAgeMs, once: round === undefined ? undefined : onceOf(round, key) });
    bills.push(await billOfRefresh(planner, { account, cnj, documents, ...reuse }));
    planner.onCase?.(bills.length, cases.length);
  }
  const limit = maxSpend === undefined ? undefined : parseAmount(maxSpend);
  return {
    bills,
    // `maxSpend` of the input caps the whole portfolio; each refresh has the caps of the account.
    limits: { ...limitsOf(planner.settings, { account }), shared: limit },
    budgetKey: round === undefined || limit === undefined ? null : `portfolio/${round}`,
  };
}

/** The calls of one case, as a portfolio refreshes it: one page of documents, if any, and no files. */
export function billOfRefresh(
  planner: Planner,
  refresh: Pick<FlowSettings<'refreshCase'>, 'account' | 'cnj' | 'documents' | 'maxAgeMs' | 'once'>,
): Promise<Bill> {
  return billOf(planner, 'refreshCase', { ...refresh, maxPages: 1, download: false, relist: false, courtKnown: true });
}

/** The cases to refresh: of a round that began under the same `once`, those left. Undefined when there is no list. */
async function casesOf(
  { portfolios }: Planner,
  { account, name, cases }: FlowSettings<'refreshPortfolio'>,
  round: string | undefined,
): Promise<readonly Cnj[] | undefined> {
  if (round !== undefined) {
    const counts = await portfolios.count(round);
    if (Object.values(counts).some((items) => items > 0)) return portfolios.left(round);
  }
  const wanted = cases ?? (await portfolios.casesOf(account, name));
  return wanted.length === 0 ? undefined : [...new Set(wanted)];
}
