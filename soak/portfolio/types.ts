/** Words of the portfolio's soak: what is asked, what is found, what the last line says. */
import type { RefreshPortfolioResult } from '../../src/protocol/index.js';

export interface PortfolioOptions {
  /** Length of the stored list. */
  readonly cases: number;
  /** As many refreshes as the cap pays for. */
  readonly refreshed: number;
  readonly kills: number;
  readonly seed: number;
  /**
   * Kills only while no charged call is on the wire. A call that is cut off keeps its flow for over a minute, and the long form
   * is there for that.
   */
  readonly quietKills?: boolean;
  /** Refreshes of the sweep in flight. */
  readonly concurrency: number;
}

/** MB in the second quarter of a worker's life, and in its last one. */
export interface Growth {
  readonly start: number;
  readonly end: number;
}

/** Of the longest life of a worker. */
export interface Memory {
  readonly seconds: number;
  /** Least that was resident. */
  readonly residentMb: Growth;
  /** What was left after full collections (medians), all heaps of the process together. */
  readonly heapMb: Growth;
}

/** Medians in seconds, by Temporal's clock: refreshes that people asked for, and those that the sweep started meanwhile. */
export interface Latency {
  readonly interactive: number;
  readonly sweep: number;
  /** How many of the sweep there were to compare with. */
  readonly sweepSamples: number;
}

/** Temporal's keys of both kinds of refreshes; a lower one goes first. */
export interface Priorities {
  readonly interactive: readonly number[];
  readonly sweep: readonly number[];
}

/** Cases of the round by state and reason, as the dispatcher's table has them. */
export interface ItemCount {
  readonly state: string;
  readonly reason: string | null;
  readonly cases: number;
}

/** One start of the portfolio: what it said, and what the books had for its cases when all its refreshes had ended. */
export interface Round {
  /** Refreshes that its cap pays for, all rounds together. */
  readonly cap: number;
  readonly result: RefreshPortfolioResult;
  readonly items: readonly ItemCount[];
  /** Charges of the book by case, of the listed cases only. */
  readonly charges: ReadonlyMap<string, number>;
  readonly done: readonly string[];
  readonly waiting: readonly string[];
}
