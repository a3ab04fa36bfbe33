/** The listing of notice monitors against what is asked. Free; leaves every paid step to the flow. */
import type { EnsurePlan, PlanNoticeMonitorInput, ListingRefused } from '../../protocol/index.js';
import type { ActivityDeps } from '../deps.js';
import { describeLawyer } from '../lawyers/import-steps.js';
import { impossible, notYet } from '../to-failure.js';
import { decideEnsure, unclearAmong } from './decide-ensure.js';
import { PATIENT_ATTEMPTS, readNoticeMonitorListing, type ListingAsked } from './read-listing.js';

const AGAIN_MS = 60_000;

export async function planNoticeMonitor(
  deps: ActivityDeps,
  input: PlanNoticeMonitorInput,
  asker: Omit<ListingAsked, 'account'>,
): Promise<EnsurePlan | ListingRefused> {
  const account = deps.accounts.get(input.account);
  if (account === undefined) throw impossible(`account "${input.account}" is not configured on this worker`);
  const listing = await readNoticeMonitorListing(deps, { account, ...asker });
  const told = listing.unexpected === undefined ? {} : { unexpected: listing.unexpected };
  if (listing.kind === 'refused') return listing;
  const plan = decideEnsure(input, listing.monitors);
  // What is not in half a listing may be in the other half: creating it could bill twice.
  if (!listing.complete && plan.create.length > 0) {
    const pages = `no end was found after ${listing.monitors.length} monitors`;
    if (asker.attempt < PATIENT_ATTEMPTS) throw notYet(`the listing of monitors is not whole: ${pages}`, AGAIN_MS);
    return { kind: 'refused', status: 200, reason: `its listing has no end: ${pages}, so a new one might bill twice` };
  }
  const unclear = unclearAmong(plan.create, listing.monitors);
  if (unclear.length > 0) {
    const reason = `a monitor in its listing may be of ${unclear.join(', ')}, but its registration cannot be read; a new one might bill twice`;
    return { kind: 'refused', status: 200, reason };
  }
  return { kind: 'plan', ...plan, updateParams: plan.update.map((oab) => describeLawyer(deps, { oab })), ...told };
}
