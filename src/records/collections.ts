/** Collections of pages: which query is being read page by page, since when, and whether it has finished. */
import { sql } from 'kysely';
import { instant, type Database } from '../store/index.js';

interface Question {
  readonly account: string;
  readonly key: string;
  readonly operation: string;
  readonly nowMs: number;
  readonly reuseFinishedMs?: number;
}

interface Opened {
  readonly begun: boolean;
  readonly startedAtMs: number;
}

export interface Collections {
  /**
   * Begins the collection, or goes on with an unfinished one. A finished one begins again unless it finished within
   * `reuseFinishedMs`. `begun`: it begins now, without any pages.
   */
  open(question: Question): Promise<Opened>;
  /** What {@link Collections.open} would give now; writes nothing. */
  peek(question: Omit<Question, 'operation'>): Promise<Opened>;
  finish(end: {
    readonly account: string;
    readonly key: string;
    readonly pages: number;
    readonly items: number;
    readonly complete: boolean;
    readonly nowMs: number;
  }): Promise<void>;
}

export function createCollections({ db }: { readonly db: Database }): Collections {
  return {
    async open({ account, key, operation, nowMs, reuseFinishedMs }) {
      const now = instant(nowMs);
      // If the collection finished before this instant, all of its pages are older.
      const endedSince =
        reuseFinishedMs === undefined ? sql<null>`null::timestamptz` : instant(nowMs - reuseFinishedMs);
      const { rows } = await sql<{ readonly begun: boolean; readonly started_at: number }>`
        insert into tramita.collection as kept (account, collection_key, operation, started_at)
        values (${account}, ${key}, ${operation}, ${now})
        on conflict (account, collection_key) do update
          set started_at = case when kept.finished_at is null or kept.finished_at >= ${endedSince}
                then kept.started_at else excluded.started_at end,
              finished_at = case when kept.finished_at >= ${endedSince} then kept.finished_at end
        returning started_at = ${now} as begun, started_at`.execute(db);
      const [row] = rows;
      if (row === undefined) throw new Error('tramita: the collection was not written');
      return { begun: row.begun, startedAtMs: row.started_at };
    },
    async peek({ account, key, nowMs, reuseFinishedMs }) {
      const { rows } = await sql<{ readonly started_at: number; readonly finished_at: number | null }>`
        select started_at, finished_at from tramita.collection
        where account = ${account} and collection_key = ${key}`.execute(db);
      const [kept] = rows;
      const goesOn =
        kept !== undefined &&
        (kept.finished_at === null || (reuseFinishedMs !== undefined && kept.finished_at >= nowMs - reuseFinishedMs));
      return goesOn ? { begun: false, startedAtMs: kept.started_at } : { begun: true, startedAtMs: nowMs };
    },
    async finish({ account, key, pages, items, complete, nowMs }) {
      await sql`
        update tramita.collection
        set finished_at = ${instant(nowMs)}, pages = ${pages}, items = ${items}, complete = ${complete}
        where account = ${account} and collection_key = ${key}`.execute(db);
    },
  };
}
