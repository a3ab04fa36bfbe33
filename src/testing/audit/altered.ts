/** Charges whose answer the sandbox changed after it had written its hash down, so that the two cannot be compared. Pure. */
import type { Charge, ReceivedRequest } from '../../../sandbox/index.js';
import { goesByStatus } from '../../contract/index.js';

const ALTERING: ReadonlySet<string | null> = new Set(['F13', 'F16', 'F17']);
/**
 * An unreadable answer (F12, or F6 if only the end of the connection ends it) is never stored as the answer, with two exceptions:
 * half of a file cannot be distinguished from a whole one, and a refresh whose first or final answer is unreadable ends by the
 * status of its case and keeps the answer as received.
 */
const UNREADABLE: ReadonlySet<string | null> = new Set(['F6', 'F12']);
const ANSWERS_WITH_FILE = 'getElectoralEditionPdf';

/**
 * The numbers of the charges whose answer a fault of the sandbox has changed: for `altered` of {@link Books}.
 *
 * With many calls at once a fault may hit another call than intended, its poll, or a repeated fetch of its answer. A call may be
 * hit several times: its 202 was unreadable, and its final answer was altered.
 */
export function alteredOf(
  charges: readonly ChargeOfCall[],
  requests: readonly RequestWithFault[],
): ReadonlySet<number> {
  const altering = keysWith(({ fault }) => ALTERING.has(fault));
  const unreadable = keysWith(({ fault }) => UNREADABLE.has(fault));
  const targets = new Map(requests.map(({ charge, target }) => [charge, target]));
  return new Set(
    charges
      .filter(({ n, operation, requestId }) => {
        const keys = [n, targets.get(n), requestId];
        const keepsUnreadable = operation === ANSWERS_WITH_FILE || goesByStatus(operation);
        return keys.some((key) => altering.has(key) || (keepsUnreadable && unreadable.has(key)));
      })
      .map(({ n }) => n),
  );

  /** Identifies calls by the charge's number, by the target of a GET, and by the request id of a poll. */
  function keysWith(matches: (request: RequestWithFault) => boolean): ReadonlySet<unknown> {
    const keys = requests
      .filter(matches)
      .flatMap(({ charge, method, target }) => [charge, method === 'GET' ? target : null, target.split('/').at(-1)]);
    return new Set(keys.filter((key) => key !== null));
  }
}

type ChargeOfCall = Pick<Charge, 'n' | 'operation' | 'requestId'>;
type RequestWithFault = Pick<ReceivedRequest, 'charge' | 'method' | 'target' | 'fault'>;
