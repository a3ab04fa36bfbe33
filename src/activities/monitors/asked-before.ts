/**
 * A listing need not show what was asked of a monitor, or shows it in the service's own spelling. Then our last call about it counts:
 * it asked for the same, and the service shows of it what it showed in its answer. Each start would pay for that change again.
 */
import type { NoticeMonitor } from '../../contract/index.js';
import type { Intent } from '../../ledger/index.js';
import { noticeMonitorBody, type PlanNoticeMonitorInput } from '../../protocol/index.js';
import type { KeptMonitor } from '../../records/index.js';
import type { LedgerDeps, RecordDeps, ServiceDeps } from '../deps.js';
import { describeLawyer } from '../lawyers/import-steps.js';
import { showsTheSame, type Change } from './decide-ensure.js';

type Deps = Pick<ServiceDeps, 'gaps'> & Pick<LedgerDeps, 'ledger'> & Pick<RecordDeps, 'monitors'>;

const CHANGES = ['createNoticeMonitor', 'updateNoticeMonitor'] as const;
/** A call that ended so has changed nothing. */
const CAME_TO_NOTHING: readonly Intent['state'][] = ['rejected', 'not_sent'];

/** Those of `changes` that have to be made. */
export async function notAskedBefore(
  deps: Deps,
  input: PlanNoticeMonitorInput,
  { changes, listed }: { readonly changes: readonly Change[]; readonly listed: readonly NoticeMonitor[] },
): Promise<readonly string[]> {
  if (changes.length === 0) return [];
  const { account } = input;
  const kept = (await deps.monitors.kept(account)).filter(({ kind }) => kind === 'notices');
  const made = await Promise.all(CHANGES.map((operation) => deps.ledger.list({ account, operation })));
  const left: string[] = [];
  for (const change of changes) {
    const asKept = kept.find(({ id }) => id === change.monitor.id);
    const isAsAsked =
      asKept !== undefined &&
      showsTheSame(input, { now: change.monitor.data, then: asKept.data }) &&
      (await wasLast(deps, input, { change, asKept, kept, listed, calls: made.flat() }));
    if (!isAsAsked) left.push(change.oab);
  }
  return left;
}

/** The call that last reported the monitor asked for the same, and none since may have changed it. */
async function wasLast(
  { ledger, gaps }: Deps,
  input: PlanNoticeMonitorInput,
  about: {
    readonly change: Change;
    readonly asKept: KeptMonitor;
    readonly kept: readonly KeptMonitor[];
    readonly listed: readonly NoticeMonitor[];
    /** All that created or changed a notice monitor. */
    readonly calls: readonly Intent[];
  },
): Promise<boolean> {
  const { change, asKept, kept, listed, calls } = about;
  const { account, oabs } = input;
  const definition = noticeMonitorBody(input);
  const together = registrationsOf({ kept, listed }, ({ intentId }) => intentId === asKept.intentId);
  const lists = [oabs, together].map((some) => ({ oabs: [...some], ...definition }));
  const equal = [
    ...lists.map((body) => ({ operation: CHANGES[0], params: {}, body })),
    { operation: CHANGES[1], params: describeLawyer({ gaps }, change), body: definition },
  ];
  let last: Intent | undefined;
  for (const call of equal) {
    const rows = await ledger.about({ account, ...call });
    last = rows.find(({ intentId, state }) => intentId === asKept.intentId && state === 'done');
    if (last !== undefined) break;
  }
  if (last === undefined) return false;
  const { intentId, openedAtMs } = last;
  const known = new Set(kept.map((monitor) => monitor.intentId));
  // What ended well and is known is of another monitor.
  return calls.every(
    (row) =>
      row.intentId === intentId ||
      row.joined !== null ||
      (row.settledAtMs ?? Infinity) < openedAtMs ||
      CAME_TO_NOTHING.includes(row.state) ||
      (row.state === 'done' && known.has(row.intentId)),
  );
}

/** Registrations of the monitors that were last reported as `isSought` says, in order. */
export function registrationsOf(
  { kept, listed }: { readonly kept: readonly KeptMonitor[]; readonly listed: readonly NoticeMonitor[] },
  isSought: (monitor: KeptMonitor) => boolean,
): readonly string[] {
  const ids = new Set(kept.filter(isSought).map(({ id }) => id));
  const oabs = listed.flatMap((monitor) => (monitor.id !== null && ids.has(monitor.id) ? monitor.oabs : []));
  return [...new Set<string>(oabs)].sort();
}
