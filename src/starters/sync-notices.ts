/** Starting `syncNotices`: the registrations stand in the id only as a keyed token. */
import {
  parseSyncNoticesInput,
  syncNoticesId,
  type SyncNoticesInput,
  type SyncNoticesResult,
} from '../protocol/index.js';
import { invalidInput } from './errors.js';
import { startFlow, type FlowHandle, type StartOptions, type StarterDeps } from './start-flow.js';

/**
 * Starts (or joins) the sync of the notices of these registrations. Default id `notices/<account>/<token>`.
 *
 * @throws InvalidInput (an `ApplicationFailure`) before anything is started; {@link DifferentInput} when a run with this id
 * is on its way that would not give what is asked.
 */
export async function startSyncNotices(
  deps: StarterDeps,
  input: SyncNoticesInput,
  options: StartOptions = {},
): Promise<FlowHandle<SyncNoticesResult>> {
  const parsed = parseSyncNoticesInput(input);
  if (!parsed.ok) throw invalidInput(parsed.problem);
  const { account, oabs, fullText } = parsed.value;
  return startFlow<SyncNoticesResult>(deps, {
    type: 'syncNotices',
    options,
    input,
    settings: parsed.value,
    workflowId: options.workflowId ?? syncNoticesId(account, deps.token('oabs', oabs)),
    account,
    summary: `Notices of ${oabs.length} registrations${fullText ? ' with full texts' : ''}`,
  });
}
