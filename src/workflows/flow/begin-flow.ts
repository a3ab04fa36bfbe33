/**
 * The beginning of every flow: opens its state and handlers, and checks that its account is configured. `default` needs no
 * check: its charged queue always exists, and the outcomes of its calls say whether it masks case numbers. With any other
 * unknown account the calls would wait forever on a queue without a worker. A run that continues another one has paid, so its
 * account was configured then; its calls wait for a worker that has the account.
 */
import { log, patched, workflowInfo } from '@temporalio/workflow';
import { present } from '../../contract/values/index.js';
import { DEFAULT_ACCOUNT } from '../../protocol/index.js';
import { localCalls } from './calls.js';
import { openFlow, type Flow, type FlowSubject } from './flow.js';

export async function beginFlow(subject: FlowSubject): Promise<Flow> {
  const flow = openFlow(subject);
  const { cnj, settings } = subject;
  if (settings.courtKnown === false) log.warn('the case number is valid, but tramita does not know its court');
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
