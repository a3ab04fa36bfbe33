/**
 * Entry of the workflow bundle of workers that are a version of a deployment: the flows, and whether each stays with the version
 * that it began on. Apart from the door: the server refuses what a worker without a version says of it, and in a worker of the
 * user's own that is the user's to say.
 */
import { setWorkflowOptions } from '@temporalio/workflow';
import type { VersioningBehavior } from '@temporalio/common';
import type { WorkflowType } from '../protocol/index.js';
import * as flows from './index.js';

/** What waits for the service or a person goes on with the next build; a call or two that are answered at once stay. */
const BEHAVIOURS: Readonly<Record<WorkflowType, VersioningBehavior>> = {
  refreshCase: 'AUTO_UPGRADE',
  refreshPortfolio: 'AUTO_UPGRADE',
  callOperation: 'AUTO_UPGRADE',
  collectPages: 'AUTO_UPGRADE',
  readCase: 'AUTO_UPGRADE',
  summarizeCase: 'AUTO_UPGRADE',
  awaitRequest: 'AUTO_UPGRADE',
  searchBoard: 'AUTO_UPGRADE',
  importLawyerCases: 'AUTO_UPGRADE',
  syncNotices: 'AUTO_UPGRADE',
  ensureNoticeMonitor: 'PINNED',
  createRadar: 'PINNED',
  createCaseMonitor: 'PINNED',
  deactivateMonitor: 'PINNED',
  auditMonitors: 'PINNED',
};

const functions: Readonly<Record<WorkflowType, (input: unknown) => Promise<unknown>>> = flows;
for (const [type, versioningBehavior] of Object.entries(BEHAVIOURS)) {
  setWorkflowOptions({ versioningBehavior }, functions[type as WorkflowType]);
}

// eslint-disable-next-line no-restricted-syntax -- no door, the whole of one
export * from './index.js';
export { default } from './index.js';
