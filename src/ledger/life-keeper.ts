/**
 * Keeps a worker's journal and the ledger's database in agreement. If the database is in another life than the journal knows
 * (restored, failed over, emptied, rows deleted), charged calls of all accounts are held. Every line of the journal is compared
 * with the ledger, missing rows are written again with their answers, and the journal counts as heard. The last journal that is
 * heard ends the hold. Idempotent; several workers, and several processes over one folder, may do it at once.
 */
import { LATE_CALLS_MS } from '../contract/values/index.js';
import type { Wake } from '../inbox/index.js';
import type { Database } from '../store/index.js';
import type { Journal } from './journal/journal.js';
import type { JournalEntry } from './journal/journal-entry.js';
import type { JournalState } from './journal/journal-state.js';
import type { LostRows } from './ledger.js';
import { decideLife, type LedgerLife } from './life/decide-life.js';
import type { LifeMemory } from './life/life-memory.js';
import { lostCalls, missingCall, type LostCall } from './life/lost-calls.js';
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
import type { Spool } from './spool/spool.js';

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

/** Most lives that may begin during one call of `keep`. */
const MOST_ROUNDS = 5;

export function createLifeKeeper(deps: LifeKeeperDependencies): LifeKeeper {
  const { db, journal, memory, clock, lateCallsMs = LATE_CALLS_MS } = deps;
  const peers = createPeers(deps);
  const waitsFrom = createHoldClock(clock);
  let reportedEpoch: string | null = null;

  /** Begins a new life, and reports it once. */
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
    const broughtBack = await bringAllBack(deps);
    // Its rows are back. It counts as heard once no late call of the earlier life can be added to it.
    if (isEarly) return true;
    const state = await journal.state();
    const journals = await noteHeard(db, { state, label: journal.label, epoch, nowMs: clock() });
    if (journals === null) return false;
    await peers.remember(state, journals, epoch);
    memory.heardIn(epoch);
    const journalsMissing = unheard(journals).length;
    if (broughtBack.rows > 0 || journalsMissing > 0) {
      deps.onNews('info', 'the journal of this worker was heard', { ...broughtBack, journalsMissing });
    }
    return true;
  };

  return {
    keep: async () => {
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
          if (peers.areDue()) await peers.remember(state, await listJournals(db), known);
          return;
        }
        const life = verdict.kind === 'changed' ? await begin(verdict.because, witness) : found;
        if (await hear(life)) return;
      }
      throw new Error('tramita: the database of the ledger changes faster than the journal can be heard');
    },
    compare: async () => {
      const all: BroughtBack[] = [];
      for await (const { call, found } of lostCalls(deps)) {
        all.push({ call, answer: found?.answer ?? 'none', state: found?.settlement.state ?? 'unknown' });
      }
      return all;
    },
  };
}

/** When a hold began. If that is ahead of this clock, when this process first saw the hold. */
function createHoldClock(clock: () => number): (heldSinceMs: number) => number {
  let seen = { heldSinceMs: 0, atMs: 0 };
  return (heldSinceMs) => {
    const nowMs = clock();
    if (seen.heldSinceMs !== heldSinceMs || seen.atMs > nowMs) seen = { heldSinceMs, atMs: nowMs };
    return Math.min(heldSinceMs, seen.atMs);
  };
}

const PEERS_EVERY_MS = 60_000;

/** Each journal stores the others, so that it can name them to an emptied database. */
function createPeers({ journal, clock }: Pick<LifeKeeperDependencies, 'journal' | 'clock'>) {
  let untilMs = 0;
  return {
    areDue: () => clock() >= untilMs,
    remember: async ({ journalId }: JournalState, journals: readonly JournalRow[], epoch: string): Promise<void> => {
      const others = journals.filter((row) => row.journalId !== journalId && row.dismissedBy === null);
      const peers = Object.fromEntries(others.map((row) => [row.journalId, row.label]));
      await journal.remember({ journalId, epoch, peers });
      untilMs = clock() + PEERS_EVERY_MS;
    },
  };
}

/** Writes the lost rows again, under a hold. Returns how many, and how many of them with their answers. */
async function bringAllBack(
  deps: LifeKeeperDependencies,
): Promise<{ readonly rows: number; readonly answers: number }> {
  let rows = 0;
  let answers = 0;
  for await (const lost of lostCalls(deps)) {
    await holdLedger(deps.db, 'rows of a journal are missing');
    await bringBack(deps, lost);
    rows += 1;
    if (lost.found !== undefined) answers += 1;
  }
  return { rows, answers };
}

async function bringBack({ ledger, spool, wake }: LifeKeeperDependencies, { call, found }: LostCall): Promise<void> {
  if (found === undefined) {
    await ledger.restore({ call, witness: 'journal' });
    return;
  }
  const settled = await ledger.settleLost(call, found.settlement);
  if (found.answer === 'spool') await spool.keep(call.intentId);
  await wake(settled.wakes);
}
