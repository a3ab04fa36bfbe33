/** Which charged calls a flow makes, by its type. `refreshPortfolio` is many flows: see `plan-portfolio.ts`. */
import { monitorToCreate, type FlowSettings, type WorkflowType } from '../../protocol/index.js';
import { createBill, type Bill } from '../bill.js';
import type { Planner } from '../deps.js';
import { planCallOperation, planCollectPages, planSearchBoard } from './calls.js';
import { planReadCase, planRefreshCase, planSummarizeCase } from './cases.js';
import { planCreateMonitor, planDeactivateMonitor, planImport, planNoticeMonitor, planSyncNotices } from './lawyers.js';

type OneFlow = Exclude<WorkflowType, 'refreshPortfolio'>;

type PlanCalls<Type extends OneFlow> = (planner: Planner, bill: Bill, settings: FlowSettings<Type>) => Promise<void>;

const NO_CALLS = (): Promise<void> => Promise.resolve();

const CALLS: { readonly [Type in OneFlow]: PlanCalls<Type> } = {
  refreshCase: planRefreshCase,
  summarizeCase: planSummarizeCase,
  readCase: planReadCase,
  importLawyerCases: planImport,
  callOperation: planCallOperation,
  collectPages: planCollectPages,
  // Waits for work that is already paid.
  awaitRequest: NO_CALLS,
  searchBoard: planSearchBoard,
  syncNotices: planSyncNotices,
  ensureNoticeMonitor: planNoticeMonitor,
  createRadar: (planner, bill, settings) => planCreateMonitor(planner, bill, 'createRadar', settings),
  createCaseMonitor: (planner, bill, settings) => planCreateMonitor(planner, bill, 'createCaseMonitor', settings),
  deactivateMonitor: planDeactivateMonitor,
  auditMonitors: NO_CALLS,
};

export async function billOf<Type extends OneFlow>(
  planner: Planner,
  type: Type,
  settings: FlowSettings<Type>,
): Promise<Bill> {
  const bill = createBill(planner, { type, settings: { ...settings, ...onceOfMonitor(type, settings) } });
  const add: PlanCalls<Type> = CALLS[type];
  await add(planner, bill, settings);
  return bill;
}

/** A monitor is paid once per reference, which serves as its `once` key. */
function onceOfMonitor(type: OneFlow, settings: FlowSettings<OneFlow>): { readonly once?: string } {
  if (type !== 'createRadar' && type !== 'createCaseMonitor') return {};
  return { once: monitorToCreate(settings as FlowSettings<'createRadar'>).once };
}
