/** Stores every monitor that any flow asked for: one that bills and is not stored counts as an orphan (auditMonitors). */
import { readCaseMonitors } from '../../contract/index.js';
import type { MonitorKind } from '../../records/index.js';
import type { Intent } from '../../ledger/index.js';
import type { RecordDeps } from '../deps.js';
import { parseStored } from '../stored-answer.js';

const KINDS: Readonly<Record<string, MonitorKind>> = {
  createNoticeMonitor: 'notices',
  updateNoticeMonitor: 'notices',
  createRadar: 'radar',
  createCaseMonitor: 'case',
};
const DEACTIVATES: Readonly<Record<string, MonitorKind>> = {
  deactivateAdminMonitor: 'administrative',
  deactivateNoticeMonitor: 'notices',
  deactivateRadar: 'radar',
  deactivateCaseMonitor: 'case',
};

export async function rememberMonitors(
  { monitors: kept }: Pick<RecordDeps, 'monitors'>,
  answer: { readonly intent: Intent; readonly id: string; readonly body: Buffer; readonly nowMs: number },
): Promise<void> {
  const { intent, id, body, nowMs } = answer;
  const off = DEACTIVATES[intent.operation];
  const kind = off ?? KINDS[intent.operation];
  if (kind === undefined) return;
  const monitors = readCaseMonitors(parseStored(body))?.monitors ?? [];
  if (off !== undefined) {
    await kept.deactivate({ account: intent.account, kind, id, status: monitors[0]?.status ?? null, nowMs });
    return;
  }
  for (const monitor of monitors) {
    if (monitor.id === null) continue;
    await kept.save({
      account: intent.account,
      kind,
      id: monitor.id,
      nowMs,
      // Flows that create a monitor under a reference use that as their `once`.
      reference: kind === 'notices' ? null : intent.once,
      active: monitor.active !== false,
      status: monitor.status,
      intentId: intent.intentId,
      data: monitor.data,
    });
  }
}
