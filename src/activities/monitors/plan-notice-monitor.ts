/** Compares the listing of notice monitors with what is asked. Free; leaves every paid step to the flow. */
import { present, type NoticeMonitor } from '../../contract/index.js';
import type { EnsurePlan, PlanNoticeMonitorInput, ListingRefused } from '../../protocol/index.js';
import { accountOf } from '../configured-account.js';
import type { RecordDeps } from '../deps.js';
import { describeLawyer } from '../lawyers/import-steps.js';
import type { ReadDeps } from '../polling/wait-out-pending.js';
import { notYet } from '../to-failure.js';
import { notAskedBefore } from './asked-before.js';
import { withCallsBefore } from './called-before.js';
import { decideEnsure, unclearAmong } from './decide-ensure.js';
import { chargesOf, PATIENT_ATTEMPTS, readNoticeMonitorListing, type ListingAsked } from './read-listing.js';

const AGAIN_MS = 60_000;

export async function planNoticeMonitor(
  deps: ReadDeps & Pick<RecordDeps, 'monitors'>,
  input: PlanNoticeMonitorInput,
  asker: Omit<ListingAsked, 'account'>,
): Promise<EnsurePlan | ListingRefused> {
  const account = accountOf(deps, input.account);
  const listing = await readNoticeMonitorListing(deps, { account, ...asker });
  const charges = chargesOf(listing);
  if (listing.kind === 'refused') return { ...listing, ...charges };
  const { changes, ...plan } = decideEnsure(input, listing.monitors);
  if (input.made !== undefined) {
    await keepMade(deps, input, listing.monitors);
    return { kind: 'plan', ...plan, update: [], ...present({ unexpected: listing.unexpected }) };
  }
  // A monitor may be in the part of the listing that did not come: creating it again could bill twice.
  if (!listing.complete && plan.create.length > 0) {
    const problem = `incomplete: there may be more than the ${listing.monitors.length} monitors received`;
    // What has charged is not read again, so another attempt would only forget it.
    if (asker.attempt < PATIENT_ATTEMPTS && listing.unexpected === undefined) {
      throw notYet(`the listing of monitors is ${problem}`, AGAIN_MS);
    }
    return {
      kind: 'refused',
      status: 200,
      reason: `its listing is ${problem}; a new one might bill twice`,
      ...charges,
    };
  }
  const unclear = unclearAmong(plan.create, listing.monitors);
  if (unclear.length > 0) {
    const reason = `a monitor in its listing may be an active one of ${unclear.join(', ')}, but its registration or status cannot be read; a new one might bill twice`;
    return { kind: 'refused', status: 200, reason, ...charges };
  }
  const { monitors: listed } = listing;
  const planned = { create: plan.create, update: await notAskedBefore(deps, input, { changes, listed }), listed };
  const { create, update } = await withCallsBefore(deps, input, planned);
  return {
    kind: 'plan',
    ...plan,
    create,
    update,
    updateParams: update.map((oab) => describeLawyer(deps, { oab })),
    ...present({ unexpected: listing.unexpected }),
  };
}

/** Stores the monitors that were made, so that the audit does not report them as orphans. */
async function keepMade(
  { ledger, monitors: kept, clock }: ReadDeps & Pick<RecordDeps, 'monitors'>,
  { account, made = [], madeBy = [] }: PlanNoticeMonitorInput,
  listed: readonly NoticeMonitor[],
): Promise<void> {
  for (const { id, active, status, oabs, data } of listed) {
    const place = made.findIndex((oab) => oabs.includes(oab));
    if (id === null || active !== true || place < 0) continue;
    const by = madeBy[place] ?? '';
    const row = by === '' ? undefined : await ledger.find(by);
    // If another flow made the call, its row is the one that a later plan finds.
    const intentId = row?.joined ?? row?.intentId ?? null;
    await kept.save({
      account,
      kind: 'notices',
      id,
      reference: null,
      active,
      status,
      intentId,
      data,
      nowMs: clock.nowMs(),
    });
  }
}
