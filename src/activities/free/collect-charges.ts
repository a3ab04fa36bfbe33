/**
 * Collects what free reads are charged. A read that was charged is not made again, so an attempt that fails after it would be
 * the last to know of the charge: its activity returns what was collected instead.
 */
import { present } from '../../contract/index.js';
import { asUnexpected } from '../../http/index.js';
import type { Ledger } from '../../ledger/index.js';
import type { CallFacts, UnexpectedRead } from '../../protocol/index.js';
import type { LedgerDeps } from '../deps.js';

/** `charges` grows while reads are made with the returned `deps`. */
export function collectCharges<Deps extends Pick<LedgerDeps, 'ledger'>>(
  deps: Deps,
): { readonly deps: Deps; readonly charges: readonly UnexpectedRead[] } {
  const charges: UnexpectedRead[] = [];
  const { ledger } = deps;
  const bookUnexpected: Ledger['bookUnexpected'] = (charge) => {
    charges.push(asUnexpected(charge));
    return ledger.bookUnexpected(charge);
  };
  return { deps: { ...deps, ledger: { ...ledger, bookUnexpected } }, charges };
}

export function factsOfCharges([unexpected, ...more]: readonly UnexpectedRead[]): Pick<
  CallFacts,
  'unexpected' | 'moreUnexpected'
> {
  return present({ unexpected, moreUnexpected: more.length === 0 ? undefined : more });
}
