/** Monitors over one database. */
import { sql } from 'kysely';
import { instant, type Database } from '../../store/index.js';
import { storableJson } from '../storable.js';
import type { KnownMonitor, Monitors, Snapshot } from './types.js';

export type { AskedMonitor, KnownMonitor, MonitorKind, Monitors } from './types.js';

export function createMonitors({ db }: { readonly db: Database }): Monitors {
  return {
    save: async (monitor) => {
      const { account, kind, id, reference, active, status, intentId, nowMs } = monitor;
      const data = JSON.stringify(storableJson(monitor.data) ?? null);
      await sql`
        insert into tramita.monitor as kept
          (account, kind, monitor_id, reference, active, status, intent_id, data, asked_at, changed_at)
        values (${account}, ${kind}, ${id}, ${reference}, ${active}, ${status}, ${intentId}::uuid, ${data}::jsonb,
          ${instant(nowMs)}, ${instant(nowMs)})
        on conflict (account, kind, monitor_id) do update
          set reference = coalesce(excluded.reference, kept.reference), active = excluded.active,
            status = excluded.status, data = excluded.data, changed_at = excluded.changed_at`.execute(db);
    },
    deactivate: async ({ account, kind, id, status, nowMs }) => {
      await sql`
        update tramita.monitor set active = false, status = ${status}, changed_at = ${instant(nowMs)}
        where account = ${account} and kind = ${kind} and monitor_id = ${id}`.execute(db);
    },
    saveSnapshot: async ({ workflowId, firstRunId, step }, { ids, complete, nowMs }) => {
      await sql`
        insert into tramita.listing_snapshot as kept (workflow_id, first_run_id, step, ids, complete, taken_at)
        values (${workflowId}, ${firstRunId}, ${step}, ${JSON.stringify(ids)}::jsonb, ${complete}, ${instant(nowMs)})
        on conflict (workflow_id, first_run_id, step) do update
          set ids = excluded.ids, complete = excluded.complete, taken_at = excluded.taken_at
          where not kept.complete`.execute(db);
    },
    snapshotOf: async ({ workflowId, firstRunId, step }) => {
      const { rows } = await sql<Snapshot>`
        select ids, complete from tramita.listing_snapshot
        where workflow_id = ${workflowId} and first_run_id = ${firstRunId} and step = ${step}`.execute(db);
      return rows[0];
    },
    list: async (account) => {
      const { rows } = await sql<KnownMonitor>`
        select kind, monitor_id as id, reference, active, status from tramita.monitor
        where account = ${account} order by kind, monitor_id`.execute(db);
      return rows;
    },
  };
}
