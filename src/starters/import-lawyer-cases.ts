/** Starting `importLawyerCases`: the registration stands in the id only as a keyed token. */
import {
  importLawyerCasesId,
  parseImportLawyerCasesInput,
  type ImportLawyerCasesInput,
  type ImportLawyerCasesResult,
} from '../protocol/index.js';
import { invalidInput } from './errors.js';
import { startFlow, type FlowHandle, type StartOptions, type StarterDeps } from './start-flow.js';

/**
 * Starts (or joins) the import of a lawyer's cases. Default id `import/<account>/<token>`.
 *
 * @throws InvalidInput (an `ApplicationFailure`) before anything is started; {@link DifferentInput} when a run with this id
 * is on its way that would not give what is asked.
 */
export async function startImportLawyerCases(
  deps: StarterDeps,
  input: ImportLawyerCasesInput,
  options: StartOptions = {},
): Promise<FlowHandle<ImportLawyerCasesResult>> {
  const parsed = parseImportLawyerCasesInput(input);
  if (!parsed.ok) throw invalidInput(parsed.problem);
  const { account, oab, maxPaidChecks } = parsed.value;
  return startFlow<ImportLawyerCasesResult>(deps, {
    type: 'importLawyerCases',
    options,
    input,
    settings: parsed.value,
    workflowId: options.workflowId ?? importLawyerCasesId(account, deps.token('oab', oab)),
    account,
    summary: `Import of a lawyer's cases (page 1 is bought at most ${maxPaidChecks} times)`,
  });
}
