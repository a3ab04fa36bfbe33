/** Retention: one round over each place, and a count of what is older than its setting. */
import { sql, type RawBuilder } from 'kysely';
import type { Inbox } from '../inbox/index.js';
import { archiveIntents, dropAnswers, dropReadings } from '../ledger/index.js';
import { countOldRecords, dropRecords } from '../records/index.js';
import { instant, makeMonths, type Database } from '../store/index.js';
import { dropAccessLog } from './access-log.js';
import { dropFiles, removeOwnFiles, type RemovableFiles } from './drop-files.js';

/** How long each place keeps its data, in ms; null: forever. As in the configuration. */
export type Kept = Readonly<
  Record<'answers' | 'records' | 'events' | 'eventKeys' | 'files' | 'archive' | 'accessLog', number | null>
>;

interface Parts {
  readonly db: Database;
  readonly inbox: Pick<Inbox, 'forgetOld'>;
  readonly files: RemovableFiles;
  readonly clock: () => number;
}

/**
 * One round for each place: it works in batches, ends by itself, and the next round continues, at once where its result has
 * `more: true`. `events` drops event keys too; `months` makes the tables for bodies; `readings` of balances have no setting.
 * One worker of all does them; `ownFiles` is for every worker.
 */
export type Keeping = Readonly<
  Record<Exclude<keyof Kept, 'eventKeys'> | 'months' | 'readings' | 'ownFiles', () => Promise<unknown>>
>;

export function createKeeping({ db, inbox, files, clock }: Parts, kept: Kept): Keeping {
  const unlessForever = async (ms: number | null, drop: (beforeMs: number) => Promise<unknown>): Promise<unknown> =>
    ms === null ? 0 : drop(clock() - ms);
  return {
    events: () => inbox.forgetOld({ eventBodiesMs: kept.events, eventIdsMs: kept.eventKeys }),
    months: () => makeMonths(db),
    readings: () => dropReadings(db, { nowMs: clock() }),
    archive: () => unlessForever(kept.archive, (beforeMs) => archiveIntents(db, { beforeMs, nowMs: clock() })),
    answers: () => unlessForever(kept.answers, (beforeMs) => dropAnswers(db, { beforeMs, nowMs: clock() })),
    files: () => unlessForever(kept.files, (beforeMs) => dropFiles(db, files, { beforeMs, nowMs: clock() })),
    ownFiles: () => unlessForever(kept.files, () => removeOwnFiles(db, files)),
    records: () => unlessForever(kept.records, (beforeMs) => dropRecords(db, { beforeMs })),
    accessLog: () => unlessForever(kept.accessLog, (beforeMs) => dropAccessLog(db, { beforeMs })),
  };
}

export interface Overdue {
  readonly place: keyof Kept;
  /** Up to {@link MOST_COUNTED}. */
  readonly older: number;
}

export const MOST_COUNTED = 10_000;

/** Counts what is older than its setting, by place, without places that keep forever. A count is limited, so no table is read whole. */
export async function findOverdue(db: Database, kept: Kept, nowMs: number): Promise<readonly Overdue[]> {
  const found: Overdue[] = [];
  for (const place of Object.keys(kept) as (keyof Kept)[]) {
    const ms = kept[place];
    if (ms === null) continue;
    const beforeMs = nowMs - ms;
    const older =
      place === 'records'
        ? await countOldRecords(db, { beforeMs, most: MOST_COUNTED })
        : await count(db, OLD[place](instant(beforeMs)));
    found.push({ place, older });
  }
  return found;
}

/** Older rows of a place, also those that stay for a reason (a decision needs them). */
const OLD: Readonly<Record<Exclude<keyof Kept, 'records'>, (before: RawBuilder<unknown>) => RawBuilder<unknown>>> = {
  answers: (before) => sql`tramita.answer_body where stored_at < ${before}`,
  // A body may be in either table. Its event loses the keys first, and the body may stay behind.
  events: (before) => sql`(
    (select seq from tramita.event where (body is not null or keys <> '{}') and received_at < ${before} limit ${MOST_COUNTED})
    union (select seq from tramita.event_bytes where received_at < ${before} limit ${MOST_COUNTED})) as event`,
  eventKeys: (before) => sql`tramita.event where received_at < ${before}`,
  files: (before) => sql`tramita.public_document where stored is not null and downloaded_at < ${before}`,
  archive: (before) =>
    sql`tramita.intent where once is null and state in ('done', 'rejected', 'not_sent', 'closed') and settled_at < ${before}`,
  accessLog: (before) => sql`tramita.access_log where at < ${before}`,
};

async function count(db: Database, rows: RawBuilder<unknown>): Promise<number> {
  const { rows: counted } = await sql<{ readonly count: number }>`
    select count(*)::integer as count from (select 1 from ${rows} limit ${MOST_COUNTED}) as old`.execute(db);
  return counted[0]?.count ?? 0;
}
