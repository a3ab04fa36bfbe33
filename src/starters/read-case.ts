/** Starting `readCase` idempotently: id from the case and from what is read of it. */
import { parseReadCaseInput, readCaseId, type ReadCaseInput, type ReadCaseResult } from '../protocol/index.js';
import { caseSubject } from './case-subject.js';
import { invalidInput } from './errors.js';
import { startFlow, type FlowHandle, type StartOptions, type StarterDeps } from './start-flow.js';

/**
 * Starts (or joins) the reading of one case. Default id `case/<account>/<cnj>/<hash of the rest>`.
 *
 * @throws InvalidInput (an `ApplicationFailure`) before anything is started; {@link DifferentInput} when a run with this id
 * is on its way that would not give what is asked.
 */
export async function startReadCase(
  deps: StarterDeps,
  input: ReadCaseInput,
  options: StartOptions = {},
): Promise<FlowHandle<ReadCaseResult>> {
  const parsed = parseReadCaseInput(input);
  if (!parsed.ok) throw invalidInput(parsed.problem);
  const { account, cnj, include, maxPages, relist } = parsed.value;
  const { caseAttribute = cnj, label = '' } = caseSubject(deps, account, cnj);
  const token = deps.token('case reading', { include, maxPages, relist });
  return startFlow<ReadCaseResult>(deps, {
    type: 'readCase',
    options,
    input,
    settings: parsed.value,
    workflowId: options.workflowId ?? readCaseId(account, caseAttribute, token),
    account,
    caseAttribute,
    summary: `Reads ${include.join(', ')} of ${label}`,
  });
}
