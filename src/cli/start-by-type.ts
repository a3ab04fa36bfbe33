/** The typed starter of each workflow type, for callers that have its name as text. */
import type { WorkflowType } from '../protocol/index.js';
import {
  startRefreshCase,
  startRefreshPortfolio,
  type FlowHandle,
  type StarterDeps,
  type StartOptions,
} from '../starters/index.js';

export type StartByType = (deps: StarterDeps, input: unknown, options: StartOptions) => Promise<FlowHandle<unknown>>;

/** Inputs are checked by the starters themselves, so what came from JSON may be handed on as it is. */
export const STARTERS: Readonly<Record<WorkflowType, StartByType>> = {
  refreshCase: startRefreshCase as StartByType,
  refreshPortfolio: startRefreshPortfolio as StartByType,
};
