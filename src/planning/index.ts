/**
 * Door of the plans: what a start would cost, before anything is paid. A plan applies the decisions of the flows and the
 * ledger (openings, prices, caps, arguments of calls) to reads of our own database. It sends nothing and writes nothing.
 */
export type { PlanDeps } from './deps.js';
export { CASE_FLOWS, planFlow, planList, type CaseFlow } from './plan-flow.js';
export { planPortfolio, readNightsInput, type PortfolioNights, type PortfolioNightsInput } from './plan-nights.js';
export type { PlannedNight } from './nights.js';
export type { CallPlan, CallState, CapAhead, CostAhead, FlowCostPlan, PriceSource } from './types.js';
