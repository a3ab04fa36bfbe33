/** Evidence of a listing: read before the call and again after it. */
import type { NoticeMonitor, Radar } from '../../contract/index.js';
import type { Intent } from '../../ledger/index.js';
import type { CallSubject, StepKey } from '../../protocol/index.js';
import type { AccountDeps, ActivityDeps } from '../deps.js';
import { readNoticeMonitorListing, readRadarListing, type ListingRead } from '../monitors/read-listing.js';
import { impossible } from '../to-failure.js';
import {
  askedOabs,
  asObject,
  decideCreatedNoticeMonitors,
  decideCreatedRadar,
  decideUpdatedNoticeMonitor,
  type ListingVerdict,
} from './decide-listing.js';
import { nothing, type Finding } from './types.js';

/** The listing as it is before the call; kept beside the step, so that it never travels through a history. */
export async function takeListing(
  deps: ActivityDeps,
  input: Omit<StepKey, 'ordinal'> & CallSubject,
  signal: AbortSignal,
): Promise<{ readonly complete: boolean }> {
  const account = deps.accounts.get(input.account);
  if (account === undefined) throw impossible(`account "${input.account}" is not configured on this worker`);
  const listing = await readFor(deps, input.operation, { account, signal });
  const complete = listing?.kind === 'listed' && listing.complete;
  const monitors: readonly (NoticeMonitor | Radar)[] = listing?.kind === 'listed' ? listing.monitors : [];
  const ids = monitors.flatMap(({ id, active }) => (id !== null && active !== false ? [id] : []));
  const { workflowId, firstRunId, step } = input;
  await deps.monitors.saveSnapshot({ workflowId, firstRunId, step }, { ids, complete, nowMs: deps.clock.nowMs() });
  return { complete };
}

export async function findListingEvidence(
  deps: ActivityDeps,
  {
    account,
    intent,
    subject,
  }: { readonly account: AccountDeps; readonly intent: Intent; readonly subject: CallSubject },
): Promise<Finding> {
  const before = await deps.monitors.snapshotOf(intent);
  const signal = AbortSignal.timeout(45_000);
  const verdict = await judge(deps, { account, subject, signal }, before ?? { ids: [], complete: false });
  if (verdict === undefined) return nothing('the listing (no answer)');
  if (!verdict.ours) return nothing(`the listing (${verdict.because})`);
  const data = verdict.records.length === 1 ? verdict.records[0] : { monitoramentos: [...verdict.records] };
  return {
    found: 'sent',
    looked: 'the listing (it is there)',
    settlement: {
      state: 'done',
      body: { bytes: Buffer.from(JSON.stringify({ data })), contentType: 'application/json' },
      evidence: { proof: 'listing', found: verdict.records.length },
    },
  };
}

async function judge(
  deps: ActivityDeps,
  {
    account,
    subject,
    signal,
  }: { readonly account: AccountDeps; readonly subject: CallSubject; readonly signal: AbortSignal },
  before: { readonly ids: readonly string[]; readonly complete: boolean },
): Promise<ListingVerdict | undefined> {
  const body = asObject(subject.body);
  if (subject.operation === 'createRadar') {
    const radars = await readRadarListing(deps, { account, signal });
    return radars.kind === 'listed' ? decideCreatedRadar(body, radars.monitors, before) : undefined;
  }
  const notices = await readNoticeMonitorListing(deps, { account, signal });
  if (notices.kind !== 'listed') return undefined;
  const oabs = askedOabs(body, subject.params);
  if (subject.operation === 'createNoticeMonitor') return decideCreatedNoticeMonitors(oabs, notices.monitors, before);
  const [oab] = oabs;
  return oab === undefined ? undefined : decideUpdatedNoticeMonitor({ oab, body }, notices.monitors);
}

function readFor(
  deps: ActivityDeps,
  operation: string,
  asked: { readonly account: AccountDeps; readonly signal: AbortSignal },
): Promise<ListingRead<NoticeMonitor> | ListingRead<Radar> | undefined> {
  switch (deps.catalogue.operationOf(operation).evidenceFrom) {
    case 'listNoticeMonitors':
      return readNoticeMonitorListing(deps, asked);
    case 'listRadars':
      return readRadarListing(deps, asked);
    default:
      return Promise.resolve(undefined);
  }
}
