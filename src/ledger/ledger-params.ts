/** The arguments by which the ledger knows a call: a following page is another call than the first. Pure. */
import type { Parameters } from '../contract/index.js';
import type { CallSubject } from '../protocol/index.js';

/** No parameter of the service has a blank in its name. */
const TARGET = 'next page';

export function ledgerParams({ params, target }: Pick<CallSubject, 'params' | 'target'>): Parameters {
  return target === undefined ? params : { ...params, [TARGET]: target };
}
