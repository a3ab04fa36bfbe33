/** Starting `collectPages` idempotently: id from operation and arguments, whatever `maxPages` is. */
import {
  collectPagesId,
  parseCollectPagesInput,
  type CollectPagesInput,
  type CollectPagesResult,
} from '../protocol/index.js';
import { caseSubject } from './case-subject.js';
import { invalidInput } from './errors.js';
import { startFlow, type FlowHandle, type StartOptions, type StarterDeps } from './start-flow.js';

/**
 * Starts (or joins) a collection. Default id `pages/<account>/<operation>/<hash of params>`.
 *
 * @throws InvalidInput (an `ApplicationFailure`) before anything is started; {@link DifferentInput} when a run with this id
 * is on its way that would not give what is asked.
 */
export async function startCollectPages(
  deps: StarterDeps,
  input: CollectPagesInput,
  options: StartOptions = {},
): Promise<FlowHandle<CollectPagesResult>> {
  const parsed = parseCollectPagesInput(input);
  if (!parsed.ok) throw invalidInput(parsed.problem);
  const { account, operation, params, maxPages } = parsed.value;
  const { caseAttribute, label } = caseSubject(deps, account, params['cnj']);
  return startFlow<CollectPagesResult>(deps, {
    type: 'collectPages',
    options,
    input,
    settings: parsed.value,
    workflowId: options.workflowId ?? collectPagesId({ account, operation, token: deps.token('pages', params) }),
    account,
    ...(caseAttribute === undefined ? {} : { caseAttribute }),
    summary: `At most ${maxPages} pages of ${operation}${label === undefined ? '' : ` for ${label}`}`,
  });
}
