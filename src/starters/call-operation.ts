/** Starting `callOperation` idempotently: id from operation and arguments, input checked before anything starts. */
import {
  callOperationId,
  parseCallOperationInput,
  type CallOperationInput,
  type CallOperationResult,
} from '../protocol/index.js';
import { caseSubject } from './case-subject.js';
import { invalidInput } from './errors.js';
import { startFlow, type FlowHandle, type StartOptions, type StarterDeps } from './start-flow.js';

/**
 * Starts (or joins) one call of an operation. Default id `call/<account>/<operation>/<hash of params and body>`.
 *
 * @throws InvalidInput (an `ApplicationFailure`) before anything is started; {@link DifferentInput} when a run with this id
 * is on its way that would not give what is asked.
 */
export async function startCallOperation(
  deps: StarterDeps,
  input: CallOperationInput,
  options: StartOptions = {},
): Promise<FlowHandle<CallOperationResult>> {
  const parsed = parseCallOperationInput(input);
  if (!parsed.ok) throw invalidInput(parsed.problem);
  const { account, operation, params, body } = parsed.value;
  const { caseAttribute, label } = caseSubject(deps, account, params['cnj']);
  return startFlow<CallOperationResult>(deps, {
    type: 'callOperation',
    options,
    input,
    settings: parsed.value,
    workflowId:
      options.workflowId ?? callOperationId({ account, operation, token: deps.token('call', { params, body }) }),
    account,
    ...(caseAttribute === undefined ? {} : { caseAttribute }),
    summary: `One call of ${operation}${label === undefined ? '' : ` for ${label}`}`,
  });
}
