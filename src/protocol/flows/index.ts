/** All flows: what is derived from flows begins with {@link FLOWS}. What users name of each is in `names.ts`. */
import { auditMonitors } from './audit-monitors.js';
import { awaitRequest } from './await-request.js';
import { callOperation } from './call-operation.js';
import { collectPages } from './collect-pages.js';
import { createCaseMonitor, createRadar } from './create-monitor.js';
import { deactivateMonitor } from './deactivate-monitor.js';
import { ensureNoticeMonitor } from './ensure-notice-monitor.js';
import { importLawyerCases } from './import-lawyer-cases.js';
import { readCase } from './read-case.js';
import { refreshCase } from './refresh-case.js';
import { refreshPortfolio } from './refresh-portfolio.js';
import { searchBoard } from './search-board.js';
import { summarizeCase } from './summarize-case.js';
import { syncNotices } from './sync-notices.js';

/** The definition of every flow under its workflow type. */
export const FLOWS = {
  refreshCase,
  refreshPortfolio,
  callOperation,
  collectPages,
  readCase,
  summarizeCase,
  awaitRequest,
  searchBoard,
  importLawyerCases,
  syncNotices,
  ensureNoticeMonitor,
  createRadar,
  createCaseMonitor,
  deactivateMonitor,
  auditMonitors,
} as const;

/** Name of a flow, as `workflowType` in Temporal. */
export type WorkflowType = keyof typeof FLOWS;
/** Workflow types of the public interface. */
export const WORKFLOW_TYPES = Object.keys(FLOWS) as readonly WorkflowType[];

type TypesOf<Type extends WorkflowType> = NonNullable<(typeof FLOWS)[Type]['types']>;
/** Input of a flow by its workflow type. */
export type FlowInput<Type extends WorkflowType> = TypesOf<Type>['input'];
/** What a flow's input becomes once it is read: defaults filled in, identifiers in one spelling. */
export type FlowSettings<Type extends WorkflowType> = TypesOf<Type>['settings'];
/** Result of a flow by its workflow type. */
export type FlowResult<Type extends WorkflowType> = TypesOf<Type>['result'];

// eslint-disable-next-line no-restricted-syntax -- the names that users have are listed once
export * from './names.js';
