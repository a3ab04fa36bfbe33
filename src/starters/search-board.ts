/** Starting `searchBoard` idempotently: id from period, filters and pages. */
import {
  parseSearchBoardInput,
  searchBoardId,
  type SearchBoardInput,
  type SearchBoardResult,
} from '../protocol/index.js';
import { invalidInput } from './errors.js';
import { startFlow, type FlowHandle, type StartOptions, type StarterDeps } from './start-flow.js';

/**
 * Starts (or joins) a search of the electoral bulletin board. Default id `board/<account>/<hash>`.
 *
 * @throws InvalidInput (an `ApplicationFailure`) before anything is started; {@link DifferentInput} when a run with this id
 * is on its way that would not give what is asked.
 */
export async function startSearchBoard(
  deps: StarterDeps,
  input: SearchBoardInput,
  options: StartOptions = {},
): Promise<FlowHandle<SearchBoardResult>> {
  const parsed = parseSearchBoardInput(input);
  if (!parsed.ok) throw invalidInput(parsed.problem);
  const { account, from, to, filters, maxPages } = parsed.value;
  return startFlow<SearchBoardResult>(deps, {
    type: 'searchBoard',
    options,
    input,
    settings: parsed.value,
    workflowId: options.workflowId ?? searchBoardId(account, deps.token('board', { from, to, filters, maxPages })),
    account,
    summary: `Electoral bulletin board from ${from} to ${to}, at most ${maxPages} pages`,
  });
}
