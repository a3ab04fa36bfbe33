/** Monitors over one database. */
import { sql } from 'kysely';
import { instant, type Database } from '../../store/index.js';
import { notChangedAfter } from '../last-seen.js';
import { storableJson } from '../storable.js';
import type { KeptMonitor, KnownMonitor, Monitors, Snapshot, StepOfRun } from './types.js';

export type { KeptMonitor, KnownMonitor, MonitorKind, Monitors } from './types.js';

export function createMonitors({ db }: { readonly db: Database }): Monitors {
  return {
    save: async (monitor) => {
      const { account, kind, id, reference, active, status, intentId, nowMs, ...rest } = storableJson(monitor);
      const data = JSON.stringify(rest.data ?? null);
      await sql`
        insert into tramita.monitor as kept
          (account, kind, monitor_id, reference, active, status, intent_id, data, asked_at, changed_at)
        values (${account}, ${kind}, ${id}, ${reference}, ${active}, ${status}, ${intentId}::uuid, ${data}::jsonb,
          ${instant(nowMs)}, ${instant(nowMs)})
        on conflict (account, kind, monitor_id) do update
          set reference = coalesce(excluded.reference, kept.reference), active = excluded.active,
            status = excluded.status, intent_id = excluded.intent_id, data = excluded.data, changed_at = excluded.changed_at
          where ${notChangedAfter(nowMs)}`.execute(db);
    },
    deactivate: async (monitor) => {
      const { account, kind, id, status, nowMs } = storableJson(monitor);
      await sql`
        update tramita.monitor as kept set active = false, status = ${status}, changed_at = ${instant(nowMs)}
        where account = ${account} and kind = ${kind} and monitor_id = ${id} and ${notChangedAfter(nowMs)}`.execute(db);
    },
    saveSnapshot: async (step, { ids, complete, takenAtMs }) => {
      const { workflowId, firstRunId, ordinal } = step;
      await sql`
        insert into tramita.listing_snapshot as kept (workflow_id, first_run_id, step, ids, complete, taken_at)
        select ${workflowId}, ${firstRunId}, ${keyOfSend(step)}, ${JSON.stringify(ids)}::jsonb, ${complete}::boolean,
          ${instant(takenAtMs)}
        where not exists (
          select from tramita.intent where workflow_id = ${workflowId} and first_run_id = ${firstRunId}
            and step = ${step.step} and ordinal = ${ordinal})
        on conflict (workflow_id, first_run_id, step) do update
          set ids = excluded.ids, complete = excluded.complete, taken_at = excluded.taken_at
          where excluded.taken_at > kept.taken_at`.execute(db);
    },
    snapshotOf: async (step) => {
      const { rows } = await sql<Snapshot>`
        select ids, complete, taken_at as "takenAtMs" from tramita.listing_snapshot
        where workflow_id = ${step.workflowId} and first_run_id = ${step.firstRunId} and step = ${keyOfSend(step)}`.execute(
        db,
      );
      return rows[0];
    },
    kept: async (account) => {
      const { rows } = await sql<KeptMonitor>`
        select kind, monitor_id as id, reference, active, status, intent_id as "intentId", data,
          asked_at as "askedAtMs", changed_at as "toldAtMs"
        from tramita.monitor where account = ${account}`.execute(db);
      return rows;
    },
    list: async (account) => {
      const { rows } = await sql<KnownMonitor>`
        select kind, monitor_id as id, reference, active, status from tramita.monitor
        where account = ${account} order by kind, monitor_id`.execute(db);
      return rows;
    },
  };
}

/** Each send of a step has a snapshot of its own. */
function keyOfSend({ step, ordinal }: StepOfRun): string {
  return `${step}#${ordinal}`;
}
