/**
 * The evidence plans of design 10, by what the catalogue says of the operation: what its own plan proves, then the balance.
 * Everything here is free. No proof is no decision.
 */
import { isCharged } from '../../contract/index.js';
import type { Intent } from '../../ledger/index.js';
import type { CallSubject } from '../../protocol/index.js';
import type { AccountDeps, ActivityDeps } from '../deps.js';
import { findBalanceEvidence } from './balance.js';
import { balanceMayTell } from './decide-balance.js';
import { findListingEvidence } from './listing.js';
import { findRefreshEvidence } from './refresh-status.js';
import { nothing, type Finding } from './types.js';

export { noteQuietBalance } from './balance.js';
export { takeListing } from './listing.js';
export type { Finding } from './types.js';

export async function findEvidence(
  deps: ActivityDeps,
  case_: { readonly account: AccountDeps; readonly intent: Intent; readonly subject: CallSubject },
): Promise<Finding> {
  const { account, intent, subject } = case_;
  const operation = deps.catalogue.operationOf(subject.operation);
  if (!isCharged(operation, subject.params)) {
    return { found: 'not charged', proof: { proof: 'free call' }, looked: 'the catalogue (a free call)' };
  }
  const own = await ownPlan(deps, case_, operation.evidence);
  if (own.found !== 'nothing' || !balanceMayTell(account, operation)) return own;
  const balance = await findBalanceEvidence(deps, { account, intent });
  const looked = [own.looked, balance.looked].filter((text) => text !== '').join('; ');
  return { ...balance, looked, ...(own.unexpected === undefined ? {} : { unexpected: own.unexpected }) };
}

function ownPlan(
  deps: ActivityDeps,
  case_: { readonly account: AccountDeps; readonly intent: Intent; readonly subject: CallSubject },
  evidence: string,
): Promise<Finding> | Finding {
  switch (evidence) {
    case 'refresh status':
      return findRefreshEvidence(deps, case_);
    case 'listing':
      return findListingEvidence(deps, case_);
    case 'idempotent':
      return { found: 'repeatable', proof: { proof: 'idempotent' }, looked: 'the catalogue (may be repeated)' };
    default:
      // A summary is known only by its request id, which an unknown call never told; a case monitor by nothing.
      return nothing('');
  }
}
