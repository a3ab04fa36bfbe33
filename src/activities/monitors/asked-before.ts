/**
 * A listing may not show what was asked of a monitor, or may show it in the service's own spelling. Every start would then pay
 * for the same change again. So our last call about the monitor counts: if it asked for the same, and the listing still shows
 * what its answer showed, nothing has to be changed.
 */
import type { NoticeMonitor } from '../../contract/index.js';
import type { Intent } from '../../ledger/index.js';
import { noticeMonitorBody, type PlanNoticeMonitorInput } from '../../protocol/index.js';
import type { KeptMonitor } from '../../records/index.js';
import type { LedgerDeps, RecordDeps, ServiceDeps } from '../deps.js';
import { describeLawyer } from '../lawyers/import-steps.js';
import { showsTheSame, withoutUnseen, type Change } from './decide-ensure.js';

type Deps = Pick<ServiceDeps, 'gaps'> & Pick<LedgerDeps, 'ledger'> & Pick<RecordDeps, 'monitors'>;

const CHANGES = ['createNoticeMonitor', 'updateNoticeMonitor'] as const;

/** The registrations of those `changes` that still have to be made. */
export async function notAskedBefore(
  deps: Deps,
  input: PlanNoticeMonitorInput,
  { changes, listed }: { readonly changes: readonly Change[]; readonly listed: readonly NoticeMonitor[] },
): Promise<readonly string[]> {
  if (changes.length === 0) return [];
  const { account } = input;
  const kept = (await deps.monitors.kept(account)).filter(({ kind }) => kind === 'notices');
  const stillToMake: string[] = [];
  for (const change of changes) {
    const stored = kept.find(({ id }) => id === change.monitor.id);
    const isAsAsked =
      stored !== undefined &&
      showsTheSame(input, { now: change.monitor.data, then: stored.data }) &&
      (await lastCallAskedTheSame(deps, input, { change, stored, kept, listed }));
    if (!isAsAsked) stillToMake.push(change.oab);
  }
  return stillToMake;
}

/** Whether the call that last reported the monitor asked for the same, and no call since may have changed it. */
async function lastCallAskedTheSame(
  { ledger, gaps }: Deps,
  input: PlanNoticeMonitorInput,
  about: {
    readonly change: Change;
    readonly stored: KeptMonitor;
    readonly kept: readonly KeptMonitor[];
    readonly listed: readonly NoticeMonitor[];
  },
): Promise<boolean> {
  const { change, stored, kept, listed } = about;
  const { account, oabs } = input;
  // A call that left out an empty list has not filled it either.
  const definitions = [input, withoutUnseen(input, change.monitor.data)].map(noticeMonitorBody);
  const together = registrationsOf({ kept, listed }, ({ intentId }) => intentId === stored.intentId);
  const equalCalls = definitions.flatMap((definition) => [
    ...[oabs, together].map((list) => ({
      operation: CHANGES[0],
      params: {},
      body: { oabs: [...list], ...definition },
    })),
    { operation: CHANGES[1], params: describeLawyer({ gaps }, change), body: definition },
  ]);
  let last: Intent | undefined;
  for (const call of equalCalls) {
    const rows = await ledger.about({ account, ...call });
    last = rows.find(({ intentId, state }) => intentId === stored.intentId && state === 'done');
    if (last !== undefined) break;
  }
  if (last === undefined) return false;
  const mayHaveChanged = await ledger.mayHaveActed({
    account,
    operations: CHANGES,
    sinceMs: last.openedAtMs,
    except: last.intentId,
    // A later call that is done and was the last to report some monitor was about another one.
    exceptDone: kept.flatMap((monitor) => monitor.intentId ?? []),
  });
  return !mayHaveChanged;
}

/** Sorted registrations of the listed monitors whose stored record matches. */
export function registrationsOf(
  { kept, listed }: { readonly kept: readonly KeptMonitor[]; readonly listed: readonly NoticeMonitor[] },
  matches: (monitor: KeptMonitor) => boolean,
): readonly string[] {
  const ids = new Set(kept.filter(matches).map(({ id }) => id));
  const oabs = listed.flatMap((monitor) => (monitor.id !== null && ids.has(monitor.id) ? monitor.oabs : []));
  return [...new Set<string>(oabs)].sort();
}
