/**
 * `planFlow`: what a start would cost at most, which of its calls are already paid or under way, and which cap would stop it.
 * It reads our own database (and Temporal, if a client is given), never the service, so nothing can be charged.
 */
import { formatAmount, parseAmount, present } from '../contract/index.js';
import { limitsOf, NO_LIMITS, type AccountHold, type Limits } from '../ledger/index.js';
import { DEFAULT_ACCOUNT, FLOWS, type FlowInput, type Parsed, type WorkflowType } from '../protocol/index.js';
import { findRunning } from '../starters/index.js';
import type { Bill, PlannedFlows } from './bill.js';
import { createPlanner, noListText, type PlanDeps, type Planner } from './deps.js';
import { billOf } from './flows/index.js';
import { planRefreshPortfolio } from './plan-portfolio.js';
import { sumUp } from './sum-up.js';
import type { CallPlan, FlowCostPlan } from './types.js';

/** Flows that take one case, and so can be planned over a stored list of cases. */
export const CASE_FLOWS = ['refreshCase', 'summarizeCase', 'readCase'] as const;
/** Workflow type of a flow that takes one case. */
export type CaseFlow = (typeof CASE_FLOWS)[number];

/**
 * What `start…` with this input would cost and meet now. Nothing is sent to the service and nothing is written.
 *
 * @throws `tramita: input.…` where the input is refused, as the starters do; when the configuration has no id key; what the
 * database throws.
 */
export async function planFlow<Type extends WorkflowType>(
  deps: PlanDeps,
  type: Type,
  input: FlowInput<Type>,
): Promise<FlowCostPlan> {
  const planner = createPlanner(deps);
  const plan = unwrap(FLOWS[type].plan(input, planner));
  const { account } = plan.settings;
  refuseUnknownAccount(planner, account);
  const { client } = deps;
  const { token } = planner;
  const running = client === undefined ? null : ((await findRunning({ client, token }, type, plan)) ?? null);
  const start = { type, account, workflowId: plan.workflowId, running };
  // The start joins the running flow, or is refused, and pays for nothing itself.
  if (running !== null) return toPlan(planner, start, { bills: [], limits: NO_LIMITS, budgetKey: null });
  return toPlan(planner, start, await flowsOf(planner, type, input));
}

/**
 * Like {@link planFlow}, for one flow per case of a stored list (`tramita lists load`), with an input without `cnj`. Temporal is
 * not asked: the ledger has the calls of flows that are running.
 */
export async function planList(
  deps: Omit<PlanDeps, 'client'>,
  type: CaseFlow,
  { list, input }: { readonly list: string; readonly input: Readonly<Record<string, unknown>> },
): Promise<FlowCostPlan> {
  const planner = createPlanner(deps);
  const { account = DEFAULT_ACCOUNT } = input;
  const accountName = String(account);
  refuseUnknownAccount(planner, accountName);
  const cases = await planner.portfolios.casesOf(accountName, list);
  if (cases.length === 0) throw new Error(`tramita: ${noListText(accountName, list)}`);
  const bills: Bill[] = [];
  for (const [place, cnj] of cases.entries()) {
    bills.push(...(await flowsOf(planner, type, { ...input, cnj })).bills);
    planner.onCase?.(place + 1, cases.length);
  }
  const settings = unwrap(FLOWS[type].parse({ ...input, cnj: cases[0] }));
  const planned = { bills, limits: capsOf(planner, settings), budgetKey: null };
  return toPlan(planner, { type, account: accountName, workflowId: null, running: null }, planned);
}

async function flowsOf(planner: Planner, type: WorkflowType, input: unknown): Promise<PlannedFlows> {
  if (type === 'refreshPortfolio') return planRefreshPortfolio(planner, unwrap(FLOWS.refreshPortfolio.parse(input)));
  const settings = unwrap(FLOWS[type].parse(input));
  const bill = await billOf(planner, type, settings);
  return { bills: [bill], limits: capsOf(planner, settings), budgetKey: null };
}

function capsOf(
  { settings }: Planner,
  { account, maxSpend }: { readonly account: string; readonly maxSpend?: string },
): Limits {
  return limitsOf(settings, {
    account,
    ...present({ maxSpend: maxSpend === undefined ? undefined : parseAmount(maxSpend) }),
  });
}

function unwrap<T>(parsed: Parsed<T>): T {
  if (parsed.ok) return parsed.value;
  throw new Error(`tramita: ${parsed.problem}`);
}

function refuseUnknownAccount({ accounts }: Planner, account: string): void {
  if (accounts.has(account)) return;
  throw new Error(
    `tramita: input.account "${account}" is not configured; configured accounts: ${[...accounts.keys()].join(', ')}`,
  );
}

interface Start extends Pick<FlowCostPlan, 'account' | 'workflowId' | 'running'> {
  readonly type: WorkflowType;
}

async function toPlan(
  { ledger, clock }: Planner,
  { type, account, workflowId, running }: Start,
  { bills, limits, budgetKey, problem }: PlannedFlows,
): Promise<FlowCostPlan> {
  const figures = await ledger.figuresOf({ account, budgetKey });
  const { cost, stop } = sumUp(
    bills.map(({ lines }) => lines),
    limits,
    figures,
  );
  const hold = bills.find((bill) => bill.hold !== undefined)?.hold;
  const refused = running?.sameInput === false ? 'a run with another input is under way: the start is refused' : null;
  return {
    flow: type,
    account,
    workflowId,
    running,
    cost,
    stop,
    at: new Date(clock.nowMs()).toISOString(),
    flows: bills.length,
    calls: callsOf(bills),
    hold: hold === undefined ? null : holdText(hold),
    problem: problem ?? refused ?? bills.find((bill) => bill.problem !== undefined)?.problem ?? null,
  };
}

function holdText(hold: AccountHold): string {
  switch (hold.because) {
    case 'outage':
      return `outage: ${hold.failures} charged calls in a row had no usable answer, since ${new Date(hold.sinceMs).toISOString()}`;
    case 'throttled':
      return `the service asked the account to wait until ${new Date(hold.untilMs).toISOString()}`;
    case 'ledger':
      return 'the ledger is being compared with the journals of the workers';
  }
}

/** Call by call for one flow; for several flows, equal calls are counted together. */
function callsOf(bills: readonly Bill[]): readonly CallPlan[] {
  const lines = bills.flatMap((bill) => bill.lines);
  const plans = lines.map(({ price, reserved: _held, isBound: _bound, ...line }): CallPlan => {
    return { ...line, price: price === null ? null : formatAmount(price) };
  });
  if (bills.length <= 1) return plans;
  const groups = new Map<string, CallPlan>();
  for (const { step: _step, intentId: _row, workflowId: _flow, ...plan } of plans) {
    const key = [plan.operation, plan.state, plan.price, plan.priceFrom].join(' ');
    const group = groups.get(key);
    const { least, most } = group ?? { least: 0, most: 0 };
    groups.set(key, { ...plan, least: least + plan.least, most: most + plan.most, count: (group?.count ?? 0) + 1 });
  }
  return [...groups.values()];
}
