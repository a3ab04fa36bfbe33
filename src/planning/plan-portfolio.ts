/** A portfolio is a refresh of each of its cases: each is looked up, and all of them share its cap. */
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
  // Without `once` a start is a round of its own, which nobody has paid for.
  const round = once === undefined ? undefined : `${account}/${name}/once/${once}`;
  const cases = await casesOf(planner, settings, round);
  if (cases === undefined) {
    const problem = `input.name "${name}": there is no stored list of that name for account "${account}"`;
    return { bills: [], limits: limitsOf(planner.settings, { account }), budgetKey: null, problem };
  }
  const bills: Bill[] = [];
  for (const cnj of cases) {
    const { key } = nameCase(planner, account, cnj);
    const of = { account, cnj, documents, maxPages: 1, download: false, relist: false, courtKnown: true };
    bills.push(
      await billOf(planner, 'refreshCase', {
        ...of,
        ...present({ maxAgeMs, once: round === undefined ? undefined : onceOf(round, key) }),
      }),
    );
    planner.onCase?.(bills.length, cases.length);
  }
  const limit = maxSpend === undefined ? undefined : parseAmount(maxSpend);
  return {
    bills,
    // The cap of the input is that of the whole; each refresh has that of the account.
    limits: { ...limitsOf(planner.settings, { account }), shared: limit },
    budgetKey: round === undefined || limit === undefined ? null : `portfolio/${round}`,
  };
}

/** A round that has begun under the same `once` goes on with what is left of it. Undefined where there is no list. */
async function casesOf(
  { portfolios }: Planner,
  { account, name, cases }: FlowSettings<'refreshPortfolio'>,
  round: string | undefined,
): Promise<readonly Cnj[] | undefined> {
  if (round !== undefined) {
    const counts = await portfolios.count(round);
    if (Object.values(counts).some((items) => items > 0)) return portfolios.left(round);
  }
  const asked = cases ?? (await portfolios.casesOf(account, name));
  return asked.length === 0 ? undefined : [...new Set(asked)];
}
