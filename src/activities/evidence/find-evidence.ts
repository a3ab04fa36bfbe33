/**
 * The evidence plans, by what the catalogue says of the operation: what its own plan proves, then the balance.
 * Everything here is free. No proof is no decision.
 */
import { isCharged, type Operation, present } from '../../contract/index.js';

import { findBalanceEvidence } from './balance.js';
import { whyBalanceIsSilent } from './decide-balance.js';
import { findListingEvidence } from './listing.js';
import { findPolledRequest } from './polled-request.js';
import { findRefreshEvidence } from './refresh-status.js';
import { nothing, type EvidenceDeps, type Finding, type UndecidedCall } from './types.js';

/** `overAtMs`: before this the service may still be at work on the call. */
export async function findEvidence(
  deps: EvidenceDeps,
  call: UndecidedCall & { readonly overAtMs: number },
): Promise<Finding> {
  const { account, intent, subject } = call;
  const operation = deps.catalogue.operationOf(subject.operation);
  if (!isCharged(operation, subject.params)) {
    if (intent.charged !== null && intent.charged > 0)
      return nothing('the catalogue (a free call, but it was charged)');
    return { found: 'not charged', proof: { proof: 'free call' }, looked: 'the catalogue (a free call)' };
  }
  const polled = await findPolledRequest(deps, call);
  if (polled !== undefined && (polled.found !== 'nothing' || polled.isAlive === true)) return polled;
  const plan = await ownPlan(deps, call, operation);
  const own = polled === undefined ? plan : { ...plan, looked: `${polled.looked}; ${plan.looked}` };
  // What is lost was charged: the balance has nothing to add.
  if (own.found !== 'nothing' || intent.state === 'charged_lost') return own;
  const known = intent.charged !== null && intent.charged > 0;
  const silent = known ? 'the charge is known' : whyBalanceIsSilent(account, operation);
  const balance =
    silent === undefined ? await findBalanceEvidence(deps, call) : nothing(`the balance (not asked: ${silent})`);
  const looked = `${own.looked}; ${balance.looked}`;
  return { ...balance, looked, ...present({ unexpected: own.unexpected }) };
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
        : nothing('the catalogue (it was done and paid)');
    case 'own ledger':
    case 'none':
      return nothing('the service (it has no free record of such calls)');
  }
}
