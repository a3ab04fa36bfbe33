/**
 * Door of the plans: what a start would cost before it is paid. It asks the same decisions that the flows and the ledger ask
 * (openings, prices, caps, arguments of calls) over reads of our own database, and does not send or write anything.
 */
export { CASE_FLOWS, planFlow, planList, type CaseFlow, type PlanDeps } from './plan-flow.js';
export { planPortfolio, type PortfolioNights, type PortfolioNightsInput } from './plan-nights.js';
export type { PlannedNight } from './nights.js';
export type { CallPlan, CallState, CapAhead, CostAhead, FlowCostPlan, PriceSource } from './types.js';
