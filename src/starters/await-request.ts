/** Starting `awaitRequest` idempotently: id from the request id. */
import {
  awaitRequestId,
  parseAwaitRequestInput,
  type AwaitRequestInput,
  type CallOperationResult,
} from '../protocol/index.js';
import { invalidInput } from './errors.js';
import { startFlow, type FlowHandle, type StartOptions, type StarterDeps } from './start-flow.js';

/**
 * Starts (or joins) the waiting for pending work of the service. Default id `request/<account>/<requestId>`.
 *
 * @throws InvalidInput (an `ApplicationFailure`) before anything is started; {@link DifferentInput} when a run with this id
 * is on its way that would not give what is asked.
 */
export async function startAwaitRequest(
  deps: StarterDeps,
  input: AwaitRequestInput,
  options: StartOptions = {},
): Promise<FlowHandle<CallOperationResult>> {
  const parsed = parseAwaitRequestInput(input);
  if (!parsed.ok) throw invalidInput(parsed.problem);
  const { account, requestId } = parsed.value;
  return startFlow<CallOperationResult>(deps, {
    type: 'awaitRequest',
    options,
    input,
    settings: parsed.value,
    workflowId: options.workflowId ?? awaitRequestId(account, requestId),
    account,
    summary: `Waits for request ${requestId}; free`,
  });
}
