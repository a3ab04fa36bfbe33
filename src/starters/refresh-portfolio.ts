/** Starting `refreshPortfolio`: one run per portfolio, which starts ordinary refreshes of its cases. */
import {
  parseRefreshPortfolioInput,
  refreshPortfolioId,
  type RefreshPortfolioInput,
  type RefreshPortfolioResult,
} from '../protocol/index.js';
import { invalidInput } from './errors.js';
import { startFlow, type FlowHandle, type StartOptions, type StarterDeps } from './start-flow.js';

/**
 * Starts (or joins) the refresh of a list of cases. Default id `portfolio/<account>/<name>`.
 *
 * @throws InvalidInput (an `ApplicationFailure`) before anything is started; {@link DifferentInput} when a run with this id
 * is on its way that would not give what is asked.
 */
export async function startRefreshPortfolio(
  deps: StarterDeps,
  input: RefreshPortfolioInput,
  options: StartOptions = {},
): Promise<FlowHandle<RefreshPortfolioResult>> {
  const parsed = parseRefreshPortfolioInput(input);
  if (!parsed.ok) throw invalidInput(parsed.problem);
  const { account, name, documents } = parsed.value;
  return startFlow<RefreshPortfolioResult>(deps, {
    type: 'refreshPortfolio',
    options,
    input,
    settings: parsed.value,
    workflowId: options.workflowId ?? refreshPortfolioId(account, name),
    account,
    summary: `Refresh of portfolio ${name}${documents ? ' with public documents' : ''}`,
  });
}
