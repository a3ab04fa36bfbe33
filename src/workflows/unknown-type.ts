/**
 * Runs of a type that this worker does not have end at once, naming the types there are, instead of failing tasks forever. Where
 * another build may know the type, the task fails and is tried again: an old worker ends no run of a new one.
 */
import { workflowInfo, type WorkflowInfo } from '@temporalio/workflow';
import { shownName } from '../contract/values/index.js';
import { WORKFLOW_TYPES, flowFailure } from '../protocol/index.js';
import { localCalls } from './flow/calls.js';

export async function unknownType(): Promise<never> {
  const info = workflowInfo();
  const { workflowType } = info;
  if (await mayBeKnown(info)) {
    // No failure of the run: the SDK fails only the task, and leaves nothing in the history that binds the run.
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
  // The run before went on in this one, so some worker knew the type; a retried or repeated start proves nothing.
  if (continuedFromExecutionRunId !== undefined && attempt === 1 && cronSchedule === undefined) return true;
  // A worker that is no version of a deployment has a build id of the SDK and no name.
  if (version === undefined || version.deploymentName === '') return false;
  return !(await localCalls().isSettledVersion(version));
}
