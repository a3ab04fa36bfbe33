/**
 * Bundle entry for workers that are a version of a Worker Deployment: the flows, each with its versioning behaviour. Apart from
 * the door, because the server refuses such behaviours from an unversioned worker, and a user's own worker decides for itself.
 */
import { setWorkflowOptions } from '@temporalio/workflow';
import type { VersioningBehavior } from '@temporalio/common';
import type { WorkflowType } from '../protocol/index.js';
import * as flows from './index.js';

/** Flows that wait for the service or a person move to the next build; flows of a call or two, answered at once, stay. */
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
