/** What bills at the service against what this installation asked for. Free; changes nothing. */
import { formatAmount, present } from '../../contract/index.js';
import type { AuditMonitorsReport, ListingRefused, MonitorFound } from '../../protocol/index.js';
import type { KnownMonitor, MonitorKind } from '../../records/index.js';
import { accountOf } from '../configured-account.js';
import type { RecordDeps } from '../deps.js';
import { fitList } from '../fit-list.js';
import type { ReadDeps } from '../polling/wait-out-pending.js';
import { chargesOf, readNoticeMonitorListing, readRadarListing, type ListingAsked } from './read-listing.js';

/** Kinds without a listing in the interface ("Endpoint gaps"). */
const NOT_AUDITABLE: readonly MonitorKind[] = ['case', 'administrative'];

/**
 * Of one attempt (60 s) for both listings: a page that is begun in time may take 20 s more, and an attempt that is cut would begin
 * at the first page again, without end. The first listing may use half of it, so that the second one is read in any case.
 */
const READ_WITHIN_MS = 36_000;
/** Both lists of the report together, as JSON; the flow's result has them as they are. */
const MAX_LISTS_BYTES = 200_000;

interface Listed extends Omit<KnownMonitor, 'reference'> {
  readonly monthlyPrice: string | null;
}

export async function auditMonitors(
  deps: ReadDeps & Pick<RecordDeps, 'monitors'>,
  { account: name }: { readonly account: string },
  asker: Omit<ListingAsked, 'account'>,
): Promise<AuditMonitorsReport | ListingRefused> {
  const account = accountOf(deps, name);
  const endsAtMs = deps.clock.nowMs() + READ_WITHIN_MS;
  const notices = await readNoticeMonitorListing(deps, { account, ...asker, readWithinMs: READ_WITHIN_MS / 2 });
  if (notices.kind === 'refused') return { ...notices, ...chargesOf(notices) };
  const readWithinMs = Math.max(0, endsAtMs - deps.clock.nowMs());
  const radars = await readRadarListing(deps, { account, ...asker, readWithinMs });
  if (radars.kind === 'refused') return { ...radars, ...chargesOf(notices, radars) };
  const listed: readonly Listed[] = [
    ...notices.monitors.map((monitor) => ({ kind: 'notices' as const, ...monitor })),
    ...radars.monitors.map((monitor) => ({ kind: 'radar' as const, ...monitor })),
  ].flatMap(({ kind, id, active, status, monthlyPrice }) =>
    id === null
      ? []
      : [
          {
            kind,
            id,
            // What does not say that it is off may bill.
            active: active !== false,
            status,
            monthlyPrice: monthlyPrice === null ? null : formatAmount(monthlyPrice),
          },
        ],
  );
  const complete = { notices: notices.complete, radar: radars.complete, case: false, administrative: false };
  const found = compare(listed, await deps.monitors.list(name), complete);
  return { kind: 'report', ...found, ...chargesOf(notices, radars) };
}

/** Pure. Nothing is missing from a listing that was not read to its end. */
function compare(
  listed: readonly Listed[],
  known: readonly KnownMonitor[],
  complete: Readonly<Record<MonitorKind, boolean>>,
): Omit<AuditMonitorsReport, 'kind'> {
  const keyOf = ({ kind, id }: { readonly kind: MonitorKind; readonly id: string }): string => `${kind} ${id}`;
  const asked = new Set(known.map(keyOf));
  const billing = listed.filter(({ active }) => active);
  const running = new Set(billing.map(keyOf));
  const orphans = billing
    .filter((monitor) => !asked.has(keyOf(monitor)))
    .map(({ kind, id, status, monthlyPrice }): MonitorFound => ({ kind, id, status, monthlyPrice }));
  const missing = known
    .filter((monitor) => monitor.active && complete[monitor.kind] && !running.has(keyOf(monitor)))
    .map(({ kind, id, reference, status }): MonitorFound => ({
      kind,
      id,
      status,
      monthlyPrice: null,
      ...present({ reference: reference ?? undefined }),
    }));
  const { items: orphansTold, leftBytes } = fitList(orphans, MAX_LISTS_BYTES);
  const { items: missingTold } = fitList(missing, leftBytes);
  const isWhole =
    complete.notices && complete.radar && orphansTold.length + missingTold.length === orphans.length + missing.length;
  return {
    known: known.filter(({ active }) => active).length,
    orphans: orphansTold,
    missing: missingTold,
    notAuditable: NOT_AUDITABLE,
    counts: { orphans: orphans.length, missing: missing.length },
    ...(isWhole ? {} : { truncated: true }),
  };
}
