/**
 * The beginning of every flow: its state and handlers, and whether its account is configured and masks case numbers. The account
 * is asked about only where it can matter: for `default` the charged queue always exists, and its outcomes carry the mask; any
 * other name would wait forever on a queue without a worker. A run that goes on for one before has paid: it was configured then,
 * and its calls wait for a worker that has the account.
 */
import { log, patched, workflowInfo } from '@temporalio/workflow';
import { present } from '../../contract/values/index.js';
import { DEFAULT_ACCOUNT } from '../../protocol/index.js';
import { localCalls } from './calls.js';
import { openFlow, type Flow, type FlowSubject } from './flow.js';

export async function beginFlow(subject: FlowSubject): Promise<Flow> {
  const flow = openFlow(subject);
  const { cnj, settings } = subject;
  if (settings.courtKnown === false) log.warn('the case number is well-formed, but its court is not in the table');
  const { account } = settings;
  if (account === DEFAULT_ACCOUNT) return flow;
  const description = await localCalls().describeAccount({ account, ...present({ cnj }) });
  if (
    !description.known &&
    !(workflowInfo().continuedFromExecutionRunId !== undefined && patched('new-runs-keep-their-account'))
  ) {
    throw flow.fail(
      'InvalidInput',
      `input.account "${account}" is not configured; configured accounts: ${description.accounts.join(', ')}. Add it under "accounts" in the TRAMITA_CONFIG file`,
    );
  }
  if (description.caseAttribute !== undefined) flow.maskCase(description.caseAttribute);
  return flow;
}
