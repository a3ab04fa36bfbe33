/** Runs of a type that this worker does not have end at once, naming the types there are, instead of failing tasks forever. */
import { workflowInfo } from '@temporalio/workflow';
import { WORKFLOW_TYPES, flowFailure } from '../protocol/index.js';

// eslint-disable-next-line @typescript-eslint/require-await -- a workflow function returns a promise
export async function unknownType(): Promise<never> {
  throw flowFailure(
    'InvalidInput',
    `unknown workflow type "${workflowInfo().workflowType}"; known types are ${WORKFLOW_TYPES.join(', ')}. Nothing was sent`,
    { account: 'default', spent: { known: '0', unknown: 0 }, receipts: [] },
  );
}
