/** Events found by given keys since an instant, newest first: what a resolver may look at. The bodies never cross Temporal. */
import { sql } from 'kysely';
import { instant, type Database } from '../store/index.js';
import { answersToAny } from './decide-wakes.js';
import { BODY } from './list-events.js';

export interface EventAbout {
  readonly event: string;
  readonly body: Buffer;
  readonly receivedAtMs: number;
}

export interface EventsAbout {
  /** Events found by any of the keys since an instant, newest first. News is found by its request ids only. */
  eventsAbout(asked: {
    readonly keys: readonly string[];
    readonly sinceMs: number;
    readonly limit: number;
  }): Promise<readonly EventAbout[]>;
}

export function createEventsAbout(db: Database): EventsAbout {
  return {
    eventsAbout: async ({ keys, sinceMs, limit }) => {
      const { rows } = await sql<EventAbout>`
        with found as materialized (
          select seq, event, body, received_at from tramita.event
          where ${answersToAny(sql`${[...keys]}::text[]`)} and received_at >= ${instant(sinceMs)}
        )
        select event, ${BODY} as body, received_at as "receivedAtMs" from found as event order by seq desc limit ${limit}`.execute(
        db,
      );
      return rows;
    },
  };
}
