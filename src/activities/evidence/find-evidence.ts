/**
 * Looks for evidence by the plan that the catalogue gives the operation, then by the balance. Everything here is free.
 * Without proof nothing is decided.
 */
import { isCharged, type Operation } from '../../contract/index.js';
import { findBalanceEvidence } from './balance.js';
import { whyBalanceIsSilent } from './decide-balance.js';
import { findListingEvidence } from './listing.js';
import { findPolledRequest } from './polled-request.js';
import { findRefreshEvidence } from './refresh-status.js';
import { nothing, type EvidenceDeps, type Finding, type UndecidedCall } from './types.js';

/** `overAtMs`: until then the service may still process the call. */
export async function findEvidence(
  deps: EvidenceDeps,
  call: UndecidedCall & { readonly overAtMs: number },
): Promise<Finding> {
  const { account, intent, subject } = call;
  const operation = deps.catalogue.operationOf(subject.operation);
  const wasCharged = intent.charged !== null && intent.charged > 0;
  if (!isCharged(operation, subject.params)) {
    if (wasCharged) return nothing('the catalogue (a free call, but it was charged)');
    return { found: 'not charged', proof: { proof: 'free call' }, looked: 'the catalogue (a free call)' };
  }
  const polled = await findPolledRequest(deps, call);
  if (polled !== undefined && (polled.found !== 'nothing' || polled.isAlive === true)) return polled;
  const plan = await ownPlan(deps, call, operation);
  const own = polled === undefined ? plan : { ...plan, looked: `${polled.looked}; ${plan.looked}` };
  // A lost answer was charged: the balance has nothing to add.
  if (own.found !== 'nothing' || intent.state === 'charged_lost') return own;
  const whyNot = wasCharged ? 'the charge is known' : whyBalanceIsSilent(account, operation);
  const balance =
    whyNot === undefined ? await findBalanceEvidence(deps, call) : nothing(`the balance (not read: ${whyNot})`);
  return { ...balance, looked: `${own.looked}; ${balance.looked}` };
}

function ownPlan(deps: EvidenceDeps, call: UndecidedCall, { evidence }: Operation<string>): Promise<Finding> | Finding {
  switch (evidence) {
    case 'refresh status':
      return findRefreshEvidence(deps, call);
    case 'listing':
      return findListingEvidence(deps, call);
    case 'request id':
      return nothing('the service (only the request itself shows its end)');
    case 'idempotent':
      return call.intent.state === 'unknown'
        ? { found: 'repeatable', proof: { proof: 'idempotent' }, looked: 'the catalogue (may be repeated)' }
        : nothing('the catalogue (the call was made and paid)');
    case 'own ledger':
    case 'none':
      return nothing('the service (it has no free record of such calls)');
  }
}
