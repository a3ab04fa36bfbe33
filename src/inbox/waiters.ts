/** Waiters (subscriptions of flows) are removed with their flow or when they expire: their keys may name a person. */
import { CLOCK_MARGIN_MS, WAITER_LIFE_MS } from '../contract/values/index.js';
import { sql } from 'kysely';
import { BATCH, inBatches, instant, withLocks } from '../store/index.js';
import { answersToAny } from './decide-wakes.js';
import type { InboxDependencies } from './dependencies.js';
import { insertWaiters } from './waiter-statements.js';

export interface GoneFlow {
  readonly workflowId: string;
  /** When it was signalled and was not running, epoch ms. */
  readonly goneAtMs: number;
}

export interface Waiters {
  /** Events about these keys that came after `sinceMs` wake the flow, from now on. A waiter that exists gets a new expiry time. */
  waitFor(wait: {
    readonly workflowId: string;
    readonly intentId: string;
    readonly keys: readonly string[];
    /** Absent: events from now on. */
    readonly sinceMs?: number;
  }): Promise<void>;
  /**
   * Removes the waiters of a flow that had ended by `goneAtMs`, and marks its owed wakes as delivered. Younger ones, with a
   * margin for clocks that differ, stay: they may belong to a new run under the same id.
   */
  dropWaiters(gone: GoneFlow): Promise<void>;
  /**
   * Which of the flows wait in another Temporal namespace than this one. Rows from before namespaces were stored are left out.
   */
  waitersElsewhere(asked: {
    readonly workflowIds: readonly string[];
    readonly namespace: string;
  }): Promise<readonly string[]>;
  /** Notes that a worker of this namespace runs. Flows that begin to wait from now on are taken to be in it. */
  noteNamespace(namespace: string): Promise<void>;
  /** Namespaces in which workers of this database have run; that of the worker that started last comes first. */
  namespaces(): Promise<readonly string[]>;
  /** Removes expired waiters, in batches; the next call continues. Returns how many. */
  dropExpiredWaiters(): Promise<number>;
}

export function createWaiters({ db, clock }: InboxDependencies): Waiters {
  return {
    // With the locks of the keys: an event is either seen here, or sees the waiter.
    waitFor: ({ sinceMs, ...wait }) =>
      withLocks(db, wait.keys, async (trx) => {
        const nowMs = clock();
        await insertWaiters({ ...wait, nowMs }).execute(trx);
        if (sinceMs === undefined) return;
        // The relay sends them with the name of the event; one of each name is enough.
        await sql`
          insert into tramita.event_wake (event_key, workflow_id, created_at)
          select distinct on (event) account || '/' || event_key, ${wait.workflowId}, ${instant(nowMs)}
          from tramita.event
          where ${answersToAny(sql`${[...wait.keys]}::text[]`)} and received_at > ${instant(sinceMs)}
          order by event, seq desc
          on conflict do nothing`.execute(trx);
      }),
    dropWaiters: async ({ workflowId, goneAtMs }) => {
      const olderThanMs = goneAtMs - CLOCK_MARGIN_MS;
      await sql`
        with dropped as (
          delete from tramita.waiter
          where workflow_id = ${workflowId} and expires_at < ${instant(olderThanMs + WAITER_LIFE_MS)}
        )
        update tramita.event_wake set woken_at = ${instant(clock())}
        where workflow_id = ${workflowId} and woken_at is null and created_at < ${instant(olderThanMs)}`.execute(db);
    },
    waitersElsewhere: async ({ workflowIds, namespace }) => {
      const rows = await db
        .selectFrom('tramita.waiter')
        .select('workflow_id')
        .distinct()
        .where('workflow_id', '=', sql<string>`any(${[...workflowIds]}::text[])`)
        .where('namespace', '<>', namespace)
        .execute();
      return rows.map(({ workflow_id }) => workflow_id);
    },
    noteNamespace: async (namespace) => {
      await sql`
        insert into tramita.flow_namespace (namespace, seen_at) values (${namespace}, ${instant(clock())})
        on conflict (namespace) do update set seen_at = excluded.seen_at`.execute(db);
    },
    namespaces: async () => {
      const { rows } = await sql<{ readonly namespace: string }>`
        select namespace from tramita.flow_namespace order by seen_at desc, namespace`.execute(db);
      return rows.map(({ namespace }) => namespace);
    },
    dropExpiredWaiters: () =>
      inBatches(
        db,
        sql`
          delete from tramita.waiter where ctid = any (array(
            select ctid from tramita.waiter where expires_at <= ${instant(clock())}
            order by expires_at limit ${BATCH} for update skip locked))`,
      ),
  };
}
