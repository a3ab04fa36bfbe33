/**
 * The real side of the schedules: two bridges over the real inbox, with the rights of the narrow role, a Temporal that can
 * be away and flows that can end. A bridge dies without draining: from that moment nothing that it does has an effect, and
 * its connections to the database are cut where the schedule says so. A dead one is replaced by a new one.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { createBridge, type Bridge, type BridgeInbox, type SignalWake } from '../../src/bridge/index.js';
import { createInbox, eventExists, insertWaiters } from '../../src/inbox/index.js';
import { instant, withLocks, type Database } from '../../src/store/index.js';
import type { TestDatabase } from '../support/database.js';
import { BRIDGE_OPTIONS } from './support.js';

/** Where a bridge dies while it handles a delivery. */
export const CRASH_POINTS = ['before-commit', 'in-commit', 'after-commit', 'after-answer', 'after-signal'] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

export interface WakeRow {
  readonly event_id: string;
  readonly body_sha256: string;
  readonly workflow_id: string;
  readonly woken: boolean;
}

export interface World {
  readonly temporal: { up: boolean; readonly ended: Set<string>; readonly signalled: string[] };
  /** Port of one of the two bridges. */
  readonly port: (which: number) => number;
  /** The bridge dies at this point of its next delivery. */
  readonly planCrash: (which: number, at: CrashPoint) => void;
  /** Ends a bridge at once, whatever it is doing, and starts another one in its place. */
  readonly crash: (which: number) => Promise<void>;
  /** Restarts both, one after the other, with an orderly close. */
  readonly restartWith: (secrets: readonly string[]) => Promise<void>;
  /** A flow begins to wait, as the ledger does it; true when an event was there before. */
  readonly wait: (workflowId: string, key: string) => Promise<boolean>;
  readonly events: () => Promise<
    readonly { readonly event_id: string; readonly body_sha256: string; readonly conflict: boolean }[]
  >;
  readonly wakes: () => Promise<readonly WakeRow[]>;
  readonly close: () => Promise<void>;
}

interface Life {
  readonly bridge: Bridge;
  readonly port: number;
  crashAt: CrashPoint | undefined;
  readonly end: (how: 'at once' | 'orderly') => Promise<void>;
}

const TEMPORAL_AWAY = 14;
let lives = 0;

export async function openWorld(database: TestDatabase, secrets: readonly string[]): Promise<World> {
  await sql.raw('truncate tramita.event, tramita.event_wake, tramita.waiter').execute(database.db);
  const temporal: World['temporal'] = { up: true, ended: new Set(), signalled: [] };
  let current = secrets;
  const start = (): Promise<Life> => startLife({ database, temporal, secrets: current });
  const bridges: [Life, Life] = [await start(), await start()];
  const at = (which: number): 0 | 1 => (which % 2 === 0 ? 0 : 1);

  return {
    temporal,
    port: (which) => bridges[at(which)].port,
    planCrash: (which, point) => {
      bridges[at(which)].crashAt = point;
    },
    crash: async (which) => {
      await bridges[at(which)].end('at once');
      bridges[at(which)] = await start();
    },
    restartWith: async (next) => {
      current = next;
      for (const which of [0, 1] as const) {
        await bridges[which].end('orderly');
        bridges[which] = await start();
      }
    },
    wait: (workflowId, key) =>
      withLocks(database.db, [key], async (trx) => {
        await insertWaiters({ workflowId, intentId: randomUUID(), keys: [key], nowMs: Date.now() }).execute(trx);
        const seen = eventExists(sql`${[key]}::text[]`, instant(0));
        const { rows } = await sql<{ seen: boolean }>`select ${seen} as seen`.execute(trx);
        return rows[0]?.seen === true;
      }),
    events: () =>
      database.db.selectFrom('tramita.event').select(['event_id', 'body_sha256', 'conflict']).orderBy('seq').execute(),
    wakes: async () => {
      const { rows } = await sql<WakeRow>`
        select event.event_id, event.body_sha256, wake.workflow_id, wake.woken_at is not null as woken
        from tramita.event_wake as wake join tramita.event on event.account || '/' || event.event_key = wake.event_key`.execute(
        database.db,
      );
      return rows;
    },
    close: async () => {
      await Promise.all(bridges.map((life) => life.end('orderly')));
    },
  };
}

async function startLife(given: {
  readonly database: TestDatabase;
  readonly temporal: World['temporal'];
  readonly secrets: readonly string[];
}): Promise<Life> {
  const { database, temporal, secrets } = given;
  const applicationName = `bridge of a schedule ${(lives += 1)}`;
  const url = new URL(database.url);
  url.searchParams.set('options', '-c role=tramita_bridge');
  const db = database.connect({ url: url.href, applicationName, max: 3 });
  const inbox = createInbox({ db, clock: Date.now });
  let isAlive = true;
  let crashAt: CrashPoint | undefined;

  /** Throws where a dead bridge would act. */
  const reach = (point?: CrashPoint): void => {
    if (point !== undefined && point === crashAt) isAlive = false;
    if (!isAlive) throw new Error('this bridge is dead');
  };
  const mortal: BridgeInbox = {
    record: async (event) => {
      reach('before-commit');
      const recording = inbox.record(event);
      if (crashAt === 'in-commit') await Promise.allSettled([cutConnections(database.db, applicationName), recording]);
      reach('in-commit');
      const recorded = await recording;
      reach('after-commit');
      return recorded;
    },
    markWoken: async (wakes) => {
      reach('after-signal');
      await inbox.markWoken(wakes);
    },
    takeUnwoken: async (options, signal) => {
      reach();
      return inbox.takeUnwoken(options, async (wakes) => {
        const signalled = await signal(wakes);
        reach('after-signal');
        return signalled;
      });
    },
    dropWaiters: async (gone) => {
      reach();
      await inbox.dropWaiters(gone);
    },
  };
  const signalWake: SignalWake = async (workflowId) => {
    await Promise.resolve();
    reach('after-answer');
    if (!temporal.up) throw Object.assign(new Error('away'), { code: TEMPORAL_AWAY });
    if (temporal.ended.has(workflowId)) throw Object.assign(new Error('gone'), { name: 'WorkflowNotFoundError' });
    temporal.signalled.push(workflowId);
  };
  const bridge = await createBridge({
    ...BRIDGE_OPTIONS,
    accounts: { default: { secrets, secretForm: 'utf8', tokens: [] } },
    inbox: mortal,
    signalWake,
    relay: { pauseMs: 5, maxPauseMs: 20, olderThanMs: 0 },
  });
  return {
    bridge,
    port: Number(new URL(bridge.url).port),
    set crashAt(point: CrashPoint | undefined) {
      crashAt = point;
    },
    end: async (how) => {
      if (how === 'at once') isAlive = false;
      await bridge.close();
      await db.destroy();
    },
  };
}

async function cutConnections(db: Database, applicationName: string): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${applicationName}`.execute(
    db,
  );
}
