/** Types of portfolios: a stored list of cases, a round over it, an item of a round. */
import type { Amount, CivilDate, Cnj } from '../../contract/index.js';

/** `skipped`: a run of the case is under way with another input, so nothing was started for this round. */
export type ItemState = 'waiting' | 'started' | 'done' | 'failed' | 'parked' | 'skipped';

/** Failures of a refresh for which nothing was sent, and which pass by themselves. */
export const PASSING_FAILURES: readonly string[] = ['Unreachable', 'Throttled'];

export interface PortfolioItem {
  readonly cnj: Cnj;
  readonly state: ItemState;
  readonly workflowId: string | null;
  readonly runId: string | null;
}

export interface StoredList {
  readonly account: string;
  readonly name: string;
  readonly cases: number;
}

export interface CaseActivity {
  readonly cnj: Cnj;
  /** End of its last good refresh, epoch ms; null: there was none. */
  readonly refreshedAtMs: number | null;
  readonly movements: number;
}

export type RoundCounts = Readonly<Record<ItemState, number>>;

export interface RoundOrder {
  /** The round's permanent name: a round that is opened again goes on where it stopped. */
  readonly round: string;
  readonly account: string;
  readonly name: string;
  /** Instead of the stored list of that name. */
  readonly cases?: readonly Cnj[];
  readonly nowMs: number;
}

export interface ItemChange {
  readonly round: string;
  readonly cnj: string;
  readonly state: ItemState;
  readonly workflowId?: string;
  readonly runId?: string;
  /** Failure type or attention, never a text of the service. */
  readonly reason?: string;
  readonly nowMs: number;
}

export interface Portfolios {
  /** Replaces the list. Cases keep the order given; a case that is listed twice counts once. */
  saveList(list: { readonly account: string; readonly name: string; readonly cases: readonly Cnj[] }): Promise<number>;
  lists(account?: string): Promise<readonly StoredList[]>;
  casesOf(account: string, name: string): Promise<readonly Cnj[]>;
  /** In the order of the list; `movements` are those since this day. */
  activityOf(account: string, name: string, since: CivilDate): Promise<readonly CaseActivity[]>;
  /** Copies the list into the round, once; returns how many cases it has (0: there is no such list). */
  openRound(order: RoundOrder): Promise<number>;
  /** In the order of the list. */
  items(round: string, state: ItemState, limit: number): Promise<readonly PortfolioItem[]>;
  changeItem(change: ItemChange): Promise<void>;
  /** Cases that were skipped, or could not be sent ({@link PASSING_FAILURES}), wait again. */
  tryAgain(round: string, nowMs: number): Promise<void>;
  /** Cases that are left to refresh, including those that {@link Portfolios.tryAgain} would bring back. */
  left(round: string): Promise<readonly Cnj[]>;
  count(round: string): Promise<RoundCounts>;
  /** What the refreshes of the round have cost: the sum of the known charges, and how many charges are not known. */
  spentOf(round: string): Promise<{ readonly known: Amount; readonly unknown: number }>;
}

/** The `once` key of one refresh of a round: however often the dispatcher dies, it is paid once. Pure. */
export function onceOf(round: string, caseKey: string): string {
  return `portfolio/${round}/${caseKey}`;
}
