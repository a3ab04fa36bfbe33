/** Starting `refreshCase` idempotently: id from the case, input checked before anything starts. */
import {
  DEFAULT_ACCOUNT,
  parseRefreshCaseInput,
  refreshCaseId,
  type RefreshCaseInput,
  type RefreshCaseResult,
} from '../protocol/index.js';
import { formatCnj } from '../contract/values/index.js';
import { invalidInput } from './errors.js';
import { startFlow, type FlowHandle, type StartOptions, type StarterDeps } from './start-flow.js';

/**
 * Starts (or joins) the refresh of one case. Default id `refresh/<account>/<cnj>`.
 *
 * @throws InvalidInput (an `ApplicationFailure`) before anything is started; {@link DifferentInput} when a run with this id
 * is on its way that would not give what is asked.
 */
export async function startRefreshCase(
  deps: StarterDeps,
  input: RefreshCaseInput,
  options: StartOptions = {},
): Promise<FlowHandle<RefreshCaseResult>> {
  const parsed = parseRefreshCaseInput(input);
  if (!parsed.ok) throw invalidInput(parsed.problem);
  const { cnj, account } = parsed.value;
  const masked = deps.masksCnj?.(account) === true;
  const caseKey = masked ? deps.token('case', cnj) : cnj;
  return startFlow<RefreshCaseResult>(deps, {
    type: 'refreshCase',
    options,
    input,
    settings: parsed.value,
    workflowId: options.workflowId ?? refreshCaseId(account || DEFAULT_ACCOUNT, caseKey),
    account,
    caseAttribute: caseKey,
    summary: `Refresh of ${masked ? `case ${caseKey}` : formatCnj(cnj)}${parsed.value.documents ? ' with its public documents' : ''}`,
  });
}
