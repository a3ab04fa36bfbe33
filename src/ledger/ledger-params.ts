/** The arguments that identify a call in the ledger: a following page is another call than the first. Pure. */
import type { Parameters } from '../contract/index.js';
import type { CallSubject } from '../protocol/index.js';

/** No parameter of the service has a blank in its name, so this one is never taken. */
const TARGET = 'next page';

export function ledgerParams({ params, target }: Pick<CallSubject, 'params' | 'target'>): Parameters {
  return target === undefined ? params : { ...params, [TARGET]: target };
}
