/**
 * Keeps a worker's journal and the ledger's database in agreement. If the database is in another life than the journal knows
 * (restored, failed over, emptied, rows deleted), charged calls of all accounts are held. Every line of the journal is compared
 * with the ledger, missing rows are written again with their answers, and the journal counts as heard. The last journal that is
 * heard ends the hold. Idempotent; several workers, and several processes over one folder, may do it at once.
 */
import { LATE_CALLS_MS } from '../contract/values/index.js';
import type { Wake } from '../inbox/index.js';
import { sql } from 'kysely';
import type { Database } from '../store/index.js';
import type { Journal } from './journal/journal.js';
import type { JournalState } from './journal/journal-state.js';
import type { JournalEntry } from './journal/journal-entry.js';
import type { Spool } from './spool/spool.js';
import type { LostRows } from './ledger.js';
import type { Settlement } from './settlement.js';
import { decideLife, type LedgerLife } from './life/decide-life.js';
import type { LifeMemory } from './life/life-memory.js';
import { readLife } from './life/read-life.js';
import {
  beginLife,
  holdLedger,
  listJournals,
  noteHeard,
  releaseLedger,
  unheard,
  type JournalRow,
} from './life/write-life.js';
import { findAtStep } from './read-intents.js';

export interface BroughtBack {
  readonly call: JournalEntry;
  /** Where its answer was found: open in the spool, among the kept ones, or nowhere, so that only the journal's line is left. */
  readonly answer: 'spool' | 'kept' | 'none';
  /** The state that the row would get. */
  readonly state: string;
}

export interface LifeKeeper {
  /** Checks the life of the database and hears the journal if needed. Throws while the database is away. */
  keep(): Promise<void>;
  /** What the journal has and the ledger lacks. Writes nothing. */
  compare(): Promise<readonly BroughtBack[]>;
}

export interface LifeKeeperDependencies {
  readonly db: Database;
  readonly ledger: Pick<LostRows, 'restore' | 'settleLost'>;
  readonly journal: Journal;
  readonly spool: Spool;
  readonly memory: LifeMemory;
  /** Epoch ms. */
  readonly clock: () => number;
  /** A journal counts as heard no earlier than this long after the hold began; default {@link LATE_CALLS_MS}. */
  readonly lateCallsMs?: number;
  /** Wakes the flows that wait for a row that was written again. */
  readonly wake: (wakes: readonly Wake[]) => Promise<void>;
  /** One line each; no personal data. */
  readonly onNews: (level: 'info' | 'error', text: string, figures: Readonly<Record<string, number>>) => void;
}

const BATCH = 500;
const PEERS_EVERY_MS = 60_000;
/** Most lives that may begin during one call of `keep`. */
const MOST_ROUNDS = 5;

export function createLifeKeeper(deps: LifeKeeperDependencies): LifeKeeper {
  const { db, ledger, journal, spool, memory, clock, lateCallsMs = LATE_CALLS_MS } = deps;
  let peersUntilMs = 0;
  let reportedEpoch: string | null = null;
  let holdSeen = { heldSinceMs: 0, atMs: 0 };

  /** When the hold began. If that is ahead of this clock, when this process first saw the hold. */
  const waitsFrom = (heldSinceMs: number): number => {
    const nowMs = clock();
    if (holdSeen.heldSinceMs !== heldSinceMs || holdSeen.atMs > nowMs) holdSeen = { heldSinceMs, atMs: nowMs };
    return Math.min(heldSinceMs, holdSeen.atMs);
  };

  const keep = async (): Promise<void> => {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const witness = memory.witness() ?? (memory.epoch() === undefined ? await missingCall(db, journal) : null);
      const state = await journal.state();
      // A journal without an epoch was never heard under its id, or has lost its state while its worker ran.
      const known = state.epoch === null ? undefined : (memory.epoch() ?? state.epoch);
      const found = await readLife(db, witness);
      const verdict = decideLife(found, known);
      if (verdict.kind !== 'changed' && known !== undefined) {
        memory.heardIn(known);
        if (verdict.kind === 'held') await releaseLedger(db);
        if (clock() >= peersUntilMs) await rememberPeers(state, await listJournals(db), known);
        return;
      }
      const life = verdict.kind === 'changed' ? await begin(verdict.because, witness) : found;
      if (await hear(life)) return;
    }
    throw new Error('tramita: the database of the ledger changes faster than the journal can be heard');
  };

  /** Reports each life once. */
  const begin = async (because: string, witness: string | null): Promise<LedgerLife> => {
    const life = await beginLife(db, { because, witness });
    if (life.epoch !== reportedEpoch) {
      deps.onNews('error', `the database of the ledger may have forgotten calls: ${because}; charged calls wait`, {});
    }
    reportedEpoch = life.epoch;
    return life;
  };

  /** False if the database has begun another life meanwhile. */
  const hear = async ({ epoch, heldSinceMs }: LedgerLife): Promise<boolean> => {
    if (epoch === null) return false;
    const isEarly = heldSinceMs !== null && clock() < waitsFrom(heldSinceMs) + lateCallsMs;
    let rows = 0;
    let answers = 0;
    for await (const lost of lostCalls(deps)) {
      await holdLedger(db, 'rows of a journal are missing');
      await bringBack(lost);
      rows += 1;
      if (lost.found !== undefined) answers += 1;
    }
    // Its rows are back. It counts as heard once no late call of the earlier life can be added to it.
    if (isEarly) return true;
    const state = await journal.state();
    const journals = await noteHeard(db, { state, label: journal.label, epoch, nowMs: clock() });
    if (journals === null) return false;
    await rememberPeers(state, journals, epoch);
    memory.heardIn(epoch);
    const waiting = unheard(journals).length;
    if (rows > 0 || waiting > 0) {
      deps.onNews('info', 'the journal of this worker was heard', { rows, answers, journalsMissing: waiting });
    }
    return true;
  };

  /** Each journal stores the others, so that it can name them to an emptied database. */
  const rememberPeers = async (
    { journalId }: JournalState,
    journals: readonly JournalRow[],
    epoch: string,
  ): Promise<void> => {
    const peers = journals.filter((row) => row.journalId !== journalId && row.dismissedBy === null);
    const labels = Object.fromEntries(peers.map((row) => [row.journalId, row.label]));
    await journal.remember({ journalId, epoch, peers: labels });
    peersUntilMs = clock() + PEERS_EVERY_MS;
  };

  const bringBack = async ({ call, found }: LostCall): Promise<void> => {
    if (found === undefined) {
      await ledger.restore({ call, witness: 'journal' });
      return;
    }
    const settled = await ledger.settleLost(call, found.settlement);
    if (found.answer === 'spool') await spool.keep(call.intentId);
    await deps.wake(settled.wakes);
  };

  return {
    keep,
    compare: async () => {
      const all: BroughtBack[] = [];
      for await (const { call, found } of lostCalls(deps)) {
        all.push({ call, answer: found?.answer ?? 'none', state: found?.settlement.state ?? 'unknown' });
      }
      return all;
    },
  };
}

interface FoundAnswer {
  readonly answer: 'spool' | 'kept';
  readonly settlement: Settlement;
}

interface LostCall {
  readonly call: JournalEntry;
  /** State of the row, which an answer may settle; null: there is no row. */
  readonly state: string | null;
  readonly found: FoundAnswer | undefined;
}

type Sources = Pick<LifeKeeperDependencies, 'db' | 'journal' | 'spool'>;

/** What the journal has and the ledger lacks: a row, or the answer of a row that was written again without it. */
async function* lostCalls({ db, journal, spool }: Sources): AsyncGenerator<LostCall> {
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
async function missingCall(db: Database, journal: Journal): Promise<string | null> {
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
