/**
 * Evidence of work that is known by its request id alone (a summary): an event that carries it and tells the end. A call that
 * was never answered has no id, so this decides only what the service had accepted and then forgot.
 */
import { isJsonObject, readRefreshStatus } from '../../contract/index.js';
import { requestKey } from '../../inbox/index.js';
import type { ActivityDeps } from '../deps.js';
import { parseStored } from '../charged/stored-outcome.js';
import { nothing, type Finding, type UndecidedCall } from './types.js';

const MOST_EVENTS = 20;

export async function findRequestEvidence(deps: ActivityDeps, { intent }: UndecidedCall): Promise<Finding> {
  if (intent.requestId === null) return nothing('the events (none can be its: the service has named no request)');
  for (const { body, event } of await deps.eventsFor([requestKey(intent.requestId)], intent.openedAtMs, MOST_EVENTS)) {
    const told = parseStored(body);
    const { state, rawStatus } = readRefreshStatus(told, deps.gaps);
    if (!isJsonObject(told) || (state !== 'done' && state !== 'empty')) continue;
    return {
      found: 'sent',
      looked: `the event ${event} (request id)`,
      settlement: {
        state: 'done',
        finalState: state,
        rawStatus: rawStatus ?? null,
        evidence: { proof: 'request id', from: `the event ${event}`, by: 'tramita (evidence)' },
      },
    };
  }
  return nothing('the events (none tells the end of its request)');
}
