/** Compares the monitors that bill at the service with those that this installation asked for. Free; changes nothing. */
import { formatAmount, present, type NoticeMonitor, type Radar } from '../../contract/index.js';
import type { AuditMonitorsReport, ListingRefused, MonitorFound } from '../../protocol/index.js';
import type { KnownMonitor, MonitorKind } from '../../records/index.js';
import { accountOf } from '../configured-account.js';
import type { RecordDeps } from '../deps.js';
import { fitList } from '../fit-list.js';
import { chargedBefore } from '../free/collect-charges.js';
import type { ReadDeps } from '../polling/wait-out-pending.js';
import { chargesOf, readNoticeMonitorListing, readRadarListing, type ListingAsked } from './read-listing.js';

/** Kinds without a listing in the interface ("Endpoint gaps"). */
const NOT_AUDITABLE: readonly MonitorKind[] = ['case', 'administrative'];

/**
 * Time for both listings within one attempt (60 s): a page that begins in time may take 20 s more, and an attempt that times out
 * would begin at the first page again, forever. The first listing may use half of it, so that the second one is always read.
 */
const READ_WITHIN_MS = 32_000;
/** Limit of both lists of the report together, as JSON; they are part of the flow's result. */
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
  if (notices.kind === 'refused') {
    // The other listing is not read now, but an attempt whose worker died may have been charged for it.
    const before = await chargedBefore(deps, asker.reader.workflowId, asker);
    const others = before.filter(({ operation }) => operation === 'listRadars');
    return { ...notices, ...chargesOf(notices, ...others.map((unexpected) => ({ unexpected }))) };
  }
  const readWithinMs = Math.max(0, endsAtMs - deps.clock.nowMs());
  const hasCharged = notices.unexpected !== undefined;
  const radars = await readRadarListing(deps, { account, ...asker, readWithinMs, hasCharged });
  if (radars.kind === 'refused') return { ...radars, ...chargesOf(notices, radars) };
  const listed: readonly Listed[] = [
    ...notices.monitors.flatMap((monitor) => listedAs('notices', monitor)),
    ...radars.monitors.flatMap((monitor) => listedAs('radar', monitor)),
  ];
  const complete = { notices: notices.complete, radar: radars.complete, case: false, administrative: false };
  const found = compare(listed, await deps.monitors.list(name), complete);
  return { kind: 'report', ...found, ...chargesOf(notices, radars) };
}

function listedAs(kind: MonitorKind, { id, active, status, monthlyPrice }: NoticeMonitor | Radar): readonly Listed[] {
  if (id === null) return [];
  const price = monthlyPrice === null ? null : formatAmount(monthlyPrice);
  // A monitor that does not say that it is off may bill.
  return [{ kind, id, active: active !== false, status, monthlyPrice: price }];
}

/** Pure. A listing that was not read to its end shows no monitor as missing. */
function compare(
  listed: readonly Listed[],
  known: readonly KnownMonitor[],
  complete: Readonly<Record<MonitorKind, boolean>>,
): Omit<AuditMonitorsReport, 'kind'> {
  const keyOf = ({ kind, id }: { readonly kind: MonitorKind; readonly id: string }): string => `${kind} ${id}`;
  const asked = new Set(known.map(keyOf));
  const billing = listed.filter(({ active }) => active);
  const billingKeys = new Set(billing.map(keyOf));
  const statusListed = new Map(listed.map((monitor) => [keyOf(monitor), monitor.status]));
  const orphans = billing
    .filter((monitor) => !asked.has(keyOf(monitor)))
    .map(({ kind, id, status, monthlyPrice }): MonitorFound => ({ kind, id, status, monthlyPrice }));
  const missing = known
    .filter((monitor) => monitor.active && complete[monitor.kind] && !billingKeys.has(keyOf(monitor)))
    .map(({ reference, ...monitor }): MonitorFound => ({
      kind: monitor.kind,
      id: monitor.id,
      // The status of the listing; the last known one of a monitor that it does not have.
      status: statusListed.get(keyOf(monitor)) ?? monitor.status,
      monthlyPrice: null,
      ...present({ reference: reference ?? undefined }),
    }));
  const { items: shownOrphans, leftBytes } = fitList(orphans, MAX_LISTS_BYTES);
  const { items: shownMissing } = fitList(missing, leftBytes);
  const isAllShown = shownOrphans.length === orphans.length && shownMissing.length === missing.length;
  return {
    known: known.filter(({ active }) => active).length,
    orphans: shownOrphans,
    missing: shownMissing,
    notAuditable: NOT_AUDITABLE,
    counts: { orphans: orphans.length, missing: missing.length },
    ...(complete.notices && complete.radar && isAllShown ? {} : { truncated: true }),
  };
}
