/**
 * A run of a type that this worker does not have fails at once and names the known types; otherwise its tasks would fail
 * forever. If another build may know the type, only the task fails and is retried: an old worker ends no run of a new build.
 */
import { workflowInfo, type WorkflowInfo } from '@temporalio/workflow';
import { shownName } from '../contract/values/index.js';
import { WORKFLOW_TYPES, flowFailure } from '../protocol/index.js';
import { localCalls } from './flow/calls.js';

export async function unknownType(): Promise<never> {
  const info = workflowInfo();
  const { workflowType } = info;
  if (await mayBeKnown(info)) {
    // Not an `ApplicationFailure`: the SDK fails only the task, and the history gets nothing that later replays must match.
    throw new Error(`tramita: this worker does not know the workflow type "${workflowType}", and another build may`);
  }
  throw flowFailure(
    'InvalidInput',
    `unknown workflow type "${shownName(workflowType)}"; known types are ${WORKFLOW_TYPES.join(', ')}. Nothing was sent`,
    { account: 'default', spent: { known: '0', unknown: 0 }, receipts: [] },
  );
}

async function mayBeKnown(info: WorkflowInfo): Promise<boolean> {
  const { currentDeploymentVersion: version, continuedFromExecutionRunId, attempt, cronSchedule } = info;
  // A run that continues another one proves that some worker knew the type; a retry or a cron run proves nothing.
  if (continuedFromExecutionRunId !== undefined && attempt === 1 && cronSchedule === undefined) return true;
  // An unversioned worker has a build id from the SDK and no deployment name.
  if (version === undefined || version.deploymentName === '') return false;
  return !(await localCalls().isSettledVersion(version));
}
