/** What a worker's journal has and the ledger lacks: rows, and answers of rows that were written again without them. */
import { sql } from 'kysely';
import type { Database } from '../../store/index.js';
import type { Journal } from '../journal/journal.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { findAtStep } from '../read-intents.js';
import type { Settlement } from '../settlement.js';
import type { Spool } from '../spool/spool.js';

const BATCH = 500;

interface FoundAnswer {
  /** Open in the spool, or among the kept ones. */
  readonly answer: 'spool' | 'kept';
  readonly settlement: Settlement;
}

export interface LostCall {
  readonly call: JournalEntry;
  /** State of the row, which an answer may settle; null: there is no row. */
  readonly state: string | null;
  readonly found: FoundAnswer | undefined;
}

interface Sources {
  readonly db: Database;
  readonly journal: Journal;
  readonly spool: Spool;
}

/** Batch by batch, in the order of the journal. */
export async function* lostCalls({ db, journal, spool }: Sources): AsyncGenerator<LostCall> {
  for await (const batch of inBatches(journal.entries())) {
    for (const lost of await lostOf(db, batch)) {
      const found = await answerFor(spool, lost.call);
      if (lost.state === null || (found !== undefined && found.settlement.state !== lost.state))
        yield { ...lost, found };
    }
  }
}

async function answerFor(spool: Spool, { intentId, openedAtMs }: JournalEntry): Promise<FoundAnswer | undefined> {
  const spooled = await spool.read(intentId);
  if (spooled.kind === 'found') return { answer: 'spool', settlement: spooled.settlement };
  const kept = await spool.readKept(intentId, openedAtMs);
  return kept.kind === 'found' ? { answer: 'kept', settlement: kept.settlement } : undefined;
}

/**
 * A call that the ledger lacks, of the newest in the journal; null if it has them all. A process that has just started knows no
 * row itself, and a database disk that was put back from a snapshot looks like the same server in the same life.
 */
export async function missingCall(db: Database, journal: Journal): Promise<string | null> {
  for (const { call, state } of await lostOf(db, await newestOf(journal.entries()))) {
    // A row that was written again may have another id than the journal knows.
    if (state === null && (await findAtStep(db, call)) === undefined) return call.intentId;
  }
  return null;
}

async function* inBatches(entries: AsyncIterable<JournalEntry>): AsyncGenerator<readonly JournalEntry[]> {
  let batch: JournalEntry[] = [];
  for await (const entry of entries) {
    batch.push(entry);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Files of several processes overlap, so the order of the lines says nothing. */
async function newestOf(entries: AsyncIterable<JournalEntry>): Promise<readonly JournalEntry[]> {
  let newest: JournalEntry[] = [];
  for await (const batch of inBatches(entries)) {
    newest = [...newest, ...batch].sort((a, b) => b.openedAtMs - a.openedAtMs).slice(0, BATCH);
  }
  return newest;
}

/** Calls whose row is missing, is open (as it was when a backup was made), or was written again and is unknown. */
async function lostOf(db: Database, entries: readonly JournalEntry[]): Promise<readonly Omit<LostCall, 'found'>[]> {
  const { rows } = await sql<{ id: string; state: string | null }>`
    select id, intent.state
    from unnest(${entries.map(({ intentId }) => intentId)}::uuid[]) as id
    left join tramita.intent_all as intent on intent.intent_id = id
    where intent.intent_id is null or intent.state = 'open'
      or (intent.state = 'unknown' and intent.evidence -> 'lost' is not null)`.execute(db);
  const lost = new Map(rows.map(({ id, state }) => [id, state]));
  return entries.flatMap((call) => {
    const state = lost.get(call.intentId);
    return state === undefined ? [] : [{ call, state }];
  });
}

/** True if every one of these calls has a row, and that row is settled. */
export async function areFinal(db: Database, intentIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ readonly all: boolean }>`
    select not exists (
      select from unnest(${[...intentIds]}::uuid[]) as id
      where not exists (select from tramita.intent_all where intent_id = id and settled_at is not null)) as all`.execute(
    db,
  );
  return rows[0]?.all === true;
}
