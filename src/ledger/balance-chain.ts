/**
 * The balance chain compares each reported balance with the previous one minus the charges in between. Calls overlap, and a
 * charge of unknown time (pending work, an unknown call, a call that overlaps one of the two readings) may or may not lie in
 * between: it widens the expected range and never counts as drift. Pure; rows come in order of opening.
 */
import type { Amount } from '../contract/index.js';

/** A charged call as the chain sees it. */
export interface ChainRow {
  readonly intentId: string;
  readonly openedAtMs: number;
  /** When its end was known; null while it may still be charged. */
  readonly endedAtMs: number | null;
  /** Null: not known; it is assumed to be at most `reserved`. */
  readonly charged: Amount | null;
  readonly reserved: Amount;
  /** It was paid, but the amount was never reported. An amount that is missing around it is taken for its charge. */
  readonly untold?: boolean;
  /** The balance after this call. Null if the answer had none, or repeats the result of earlier pending work. */
  readonly balance: Amount | null;
}

/** A movement of the balance that the ledger cannot explain. */
export interface Drift {
  readonly afterIntentId: string;
  readonly intentId: string;
  /** When the second of the two balances was reported, epoch ms. */
  readonly atMs: number;
  /** Negative: another program spent, or a charge was higher than reported. Positive: a top-up or a refund. */
  readonly amount: number;
}

export interface ChainReport {
  /** Balances that were compared. */
  readonly readings: number;
  readonly firstBalance: Amount | null;
  readonly lastBalance: Amount | null;
  /** All reported charges. */
  readonly charged: Amount;
  readonly down: Amount;
  readonly up: Amount;
  /** What unreported charges cost beyond their reserve, according to the balance. Not drift. */
  readonly untold: Amount;
  /** The newest, at most 20. */
  readonly drifts: readonly Drift[];
}

export interface BalanceChain {
  add(row: ChainRow): void;
  end(): ChainReport;
}

interface Reading extends ChainRow {
  readonly endedAtMs: number;
  readonly balance: Amount;
}

const MOST_DRIFTS = 20;

export function startBalanceChain(): BalanceChain {
  /** Rows that may have been charged after the last reading. */
  let rows: ChainRow[] = [];
  let previous: Reading | undefined;
  let first: Reading | undefined;
  let next: Reading | undefined;
  let readings = 0;
  let charged = 0;
  let down = 0;
  let up = 0;
  let untold = 0;
  let drifts: Drift[] = [];

  /** Of the readings that began after the previous one had ended, `next` is the one that ends first. */
  const offer = (row: ChainRow): void => {
    if (!isReading(row) || (previous !== undefined && row.openedAtMs < previous.endedAtMs)) return;
    if (next === undefined || row.endedAtMs < next.endedAtMs) next = row;
  };
  const step = (to: Reading): void => {
    if (previous !== undefined) {
      const missing = driftOf(previous, to, rows);
      const explained = missing < 0 && rows.some((row) => row.untold === true && row.openedAtMs < to.endedAtMs);
      if (explained) untold -= missing;
      const amount = explained ? 0 : missing;
      if (amount < 0) down -= amount;
      if (amount > 0) up += amount;
      if (amount !== 0) {
        drifts = [
          ...drifts.slice(1 - MOST_DRIFTS),
          { afterIntentId: previous.intentId, intentId: to.intentId, atMs: to.endedAtMs, amount },
        ];
      }
    }
    readings += 1;
    first ??= to;
    previous = to;
    next = undefined;
    rows = rows.filter((row) => row !== to && (row.endedAtMs === null || row.endedAtMs > to.openedAtMs));
    for (const row of rows) offer(row);
  };

  return {
    add: (row) => {
      // Later rows begin after this one, so the next reading is final.
      while (next !== undefined && next.endedAtMs <= row.openedAtMs) step(next);
      charged += row.charged ?? 0;
      rows.push(row);
      offer(row);
    },
    end: () => {
      while (next !== undefined) step(next);
      return {
        readings,
        firstBalance: first?.balance ?? null,
        lastBalance: previous?.balance ?? null,
        charged: charged as Amount,
        down: down as Amount,
        up: up as Amount,
        untold: untold as Amount,
        drifts,
      };
    },
  };
}

function isReading(row: ChainRow): row is Reading {
  return row.balance !== null && row.endedAtMs !== null;
}

/** By how much the second balance is outside the range that the charges in between allow; 0 if it is inside. */
function driftOf(from: Reading, to: Reading, rows: readonly ChainRow[]): number {
  let least = 0;
  let most = 0;
  for (const row of rows) {
    // `to` always counts: if a clock stepped back, its call may have ended before it was opened.
    if (row === from || (row !== to && row.openedAtMs >= to.endedAtMs)) continue;
    const figure = row.charged ?? row.reserved;
    const within = row.openedAtMs >= from.endedAtMs && row.endedAtMs !== null && row.endedAtMs <= to.openedAtMs;
    if ((within || row === to) && row.charged !== null) least += figure;
    most += figure;
  }
  const spent = from.balance - to.balance;
  if (spent > most) return most - spent;
  return spent < least ? least - spent : 0;
}
