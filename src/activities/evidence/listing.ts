/** Evidence by a listing that is read before the call and again after it. */
import {
  buildRequest,
  type Json,
  type JsonObject,
  type NoticeMonitor,
  type Radar,
  present,
} from '../../contract/index.js';
import { DAY_MS } from '../../contract/values/index.js';
import { parseStrictJson } from '../../http/index.js';
import type { CallSubject, StepKey, UnexpectedRead } from '../../protocol/index.js';
import type { Asker } from '../asker.js';
import { accountOf } from '../configured-account.js';
import {
  readNoticeMonitorListing,
  readRadarListing,
  type ListingAsked,
  type ListingRead,
} from '../monitors/read-listing.js';
import {
  askedOabs,
  decideCreatedNoticeMonitors,
  decideCreatedRadar,
  decideUpdatedNoticeMonitor,
  type ListingFacts,
  type ListingVerdict,
} from './decide-listing.js';
import { nothing, type EvidenceDeps, type Finding, type UndecidedCall } from './types.js';

/** On this attempt a listing that still cannot be read is left out, and the call is made without it. */
const MOST_ATTEMPTS = 3;
/** Accepted work ends within a day: what an older call created is in the listing before this call. */
const WORK_LASTS_MS = DAY_MS;
/** Fits into one attempt, and leaves time for the balance. */
const LISTING_MS = 45_000;

/** Reads the listing before the call and stores it under the step, so that it never enters a workflow history. */
export async function takeListing(
  deps: EvidenceDeps,
  input: StepKey & CallSubject,
  { signal, attempt, activity }: Pick<Asker, 'signal' | 'attempt'> & Partial<Pick<Asker, 'activity'>>,
): Promise<{ readonly complete: boolean; readonly unexpected?: UnexpectedRead }> {
  const account = accountOf(deps, input.account);
  const takenAtMs = deps.clock.nowMs();
  const { workflowId, firstRunId, step, ordinal } = input;
  const reader = { workflowId, firstRunId, workflowType: '' };
  const asked = { account, signal, reader, attempt, ...present({ activity }) };
  const reading = readFor(deps, input.operation, asked);
  // An unreadable listing must not block the call forever. Without it, a person decides if the call ends as unknown.
  const listing = await (attempt < MOST_ATTEMPTS ? reading : undefinedIfFailed(reading));
  const complete = listing?.kind === 'listed' && listing.complete;
  const monitors: readonly (NoticeMonitor | Radar)[] = listing?.kind === 'listed' ? listing.monitors : [];
  const ids = monitors.flatMap(({ id, active }) => (id !== null && active !== false ? [id] : []));
  const unexpected = listing?.unexpected;
  const saving = deps.monitors.saveSnapshot({ workflowId, firstRunId, step, ordinal }, { ids, complete, takenAtMs });
  const isSaved = await saving.then(
    () => true,
    (error: unknown) => {
      // A listing that was charged is not read again: the next attempt would have nothing to store.
      if (unexpected === undefined) throw error;
      return false;
    },
  );
  return { complete: complete && isSaved, ...present({ unexpected }) };
}

export async function findListingEvidence(deps: EvidenceDeps, call: UndecidedCall): Promise<Finding> {
  const { account, intent, subject } = call;
  const signal = AbortSignal.timeout(LISTING_MS);
  const reading = readFor(deps, subject.operation, { account, signal, reader: intent, attempt: 1 });
  const listing = await undefinedIfFailed(reading);
  if (listing?.kind !== 'listed') return nothing('the listing (no answer)');
  const facts = await factsOf(deps, call, listing.complete);
  const verdict = judge(deps, subject, { monitors: listing.monitors, facts });
  if (!verdict.ours) return nothing(`the listing (${verdict.because})`);
  return {
    found: 'sent',
    looked: 'the listing (it shows the result of the call)',
    settlement: {
      state: 'done',
      body: { bytes: answerFrom(verdict.records), contentType: 'application/json' },
      evidence: { proof: 'listing', found: verdict.records.length, by: 'tramita (evidence)' },
    },
  };
}

async function undefinedIfFailed<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch {
    return undefined;
  }
}

async function factsOf(
  deps: EvidenceDeps,
  { account, intent, subject }: UndecidedCall,
  complete: boolean,
): Promise<ListingFacts> {
  const before = await deps.monitors.snapshotOf(intent);
  const sinceMs = before?.takenAtMs ?? intent.openedAtMs;
  const kept = await deps.monitors.kept(account.name);
  const claimed = kept.filter(({ intentId, toldAtMs }) => intentId !== intent.intentId && toldAtMs > sinceMs);
  const undecided = await Promise.all(
    (['open', 'unknown', 'charged_lost'] as const).map((state) =>
      deps.ledger.list({ account: account.name, state, operation: subject.operation }),
    ),
  );
  return {
    before: before?.complete === true ? before.ids : undefined,
    complete,
    claimed: claimed.map(({ id }) => id),
    othersUndecided: undecided
      .flat()
      .some(
        ({ intentId, joined, openedAtMs }) =>
          joined === null && intentId !== intent.intentId && openedAtMs > sinceMs - WORK_LASTS_MS,
      ),
  };
}

function judge(
  deps: EvidenceDeps,
  subject: CallSubject,
  { monitors, facts }: { readonly monitors: readonly (NoticeMonitor | Radar)[]; readonly facts: ListingFacts },
): ListingVerdict {
  const members = membersOf(deps, subject);
  const { oabNumberParam, oabStateParam } = deps.gaps;
  const registrations = ['oabs', oabNumberParam, oabStateParam];
  const definition = Object.fromEntries(Object.entries(members).filter(([name]) => !registrations.includes(name)));
  const oabs = askedOabs(members, deps.gaps);
  const [oab] = oabs;
  switch (subject.operation) {
    case 'createRadar':
      return decideCreatedRadar(members, monitors, facts);
    case 'createNoticeMonitor':
      return decideCreatedNoticeMonitors({ oabs, definition }, monitors as readonly NoticeMonitor[], facts);
    case 'updateNoticeMonitor':
      return oab === undefined
        ? { ours: false, because: 'the registration cannot be read' }
        : decideUpdatedNoticeMonitor({ oab, definition }, monitors as readonly NoticeMonitor[]);
    default:
      return { ours: false, because: 'it cannot be compared with this call' };
  }
}

/** All members of the request as it is sent, from its query and its body, under the service's names. */
function membersOf(deps: EvidenceDeps, { operation, params, body }: CallSubject): JsonObject {
  const args = { params, flags: [], ...present({ body }) };
  const request = buildRequest(deps.catalogue.operationOf(operation), args, deps.gaps);
  const sent = request.body === undefined ? undefined : parseStrictJson(Buffer.from(request.body));
  const query = new URL(request.target, 'https://service.invalid').searchParams;
  return { ...Object.fromEntries(query), ...(sent?.ok === true ? (sent.value as JsonObject) : {}) };
}

/** Replaces the lost answer: the records as the listing shows them. */
function answerFrom(records: readonly Json[]): Buffer {
  return Buffer.from(JSON.stringify({ data: records.length === 1 ? records[0] : { monitoramentos: [...records] } }));
}

function readFor(
  deps: EvidenceDeps,
  operation: string,
  asked: ListingAsked,
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
