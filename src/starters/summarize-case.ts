/** Starting `summarizeCase` idempotently: id from the case, input checked before anything starts. */
import {
  parseSummarizeCaseInput,
  summarizeCaseId,
  type SummarizeCaseInput,
  type SummarizeCaseResult,
} from '../protocol/index.js';
import { caseSubject } from './case-subject.js';
import { invalidInput } from './errors.js';
import { startFlow, type FlowHandle, type StartOptions, type StarterDeps } from './start-flow.js';

/**
 * Starts (or joins) the summary of one case. Default id `summary/<account>/<cnj>`.
 *
 * @throws InvalidInput (an `ApplicationFailure`) before anything is started; {@link DifferentInput} when a run with this id
 * is on its way that would not give what is asked.
 */
export async function startSummarizeCase(
  deps: StarterDeps,
  input: SummarizeCaseInput,
  options: StartOptions = {},
): Promise<FlowHandle<SummarizeCaseResult>> {
  const parsed = parseSummarizeCaseInput(input);
  if (!parsed.ok) throw invalidInput(parsed.problem);
  const { account, cnj } = parsed.value;
  const { caseAttribute = cnj, label = '' } = caseSubject(deps, account, cnj);
  return startFlow<SummarizeCaseResult>(deps, {
    type: 'summarizeCase',
    options,
    input,
    settings: parsed.value,
    workflowId: options.workflowId ?? summarizeCaseId(account, caseAttribute),
    account,
    caseAttribute,
    summary: `Summary of ${label}`,
  });
}
