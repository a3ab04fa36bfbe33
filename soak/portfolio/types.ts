/** Types of the portfolio's soak: options, findings, and the last line. */
import type { RefreshPortfolioResult } from '../../src/protocol/index.js';

export interface PortfolioOptions {
  /** Length of the stored list. */
  readonly cases: number;
  /** Number of refreshes that the cap pays for. */
  readonly refreshed: number;
  readonly kills: number;
  readonly seed: number;
  /**
   * Kill only while no charged call is on the wire. A call that is cut off keeps its flow waiting for over a minute; the long
   * form of the soak covers that.
   */
  readonly quietKills?: boolean;
  /** Concurrent refreshes of the sweep. */
  readonly concurrency: number;
}

/** MB in the second quarter of a worker's life, and in its last one. */
export interface Growth {
  readonly start: number;
  readonly end: number;
}

/** Memory in the longest life of a worker. */
export interface Memory {
  readonly seconds: number;
  /** Minimum of resident memory. */
  readonly residentMb: Growth;
  /** Medians after full collections, all heaps of the process together. */
  readonly heapMb: Growth;
}

/** Medians in seconds, by Temporal's clock: refreshes that people asked for, and those that the sweep started at that time. */
export interface Latency {
  readonly interactive: number;
  readonly sweep: number;
  /** Number of the sweep's refreshes in the comparison. */
  readonly sweepSamples: number;
}

/** Temporal's priority keys of both kinds of refreshes; a lower key goes first. */
export interface Priorities {
  readonly interactive: readonly number[];
  readonly sweep: readonly number[];
}

/** Cases of the round by state and reason, from the dispatcher's table. */
export interface ItemCount {
  readonly state: string;
  readonly reason: string | null;
  readonly cases: number;
}

/** One start of the portfolio: its result, and the charges of its cases in the book when all its refreshes had ended. */
export interface Round {
  /** Number of refreshes that its cap pays for, all rounds together. */
  readonly cap: number;
  readonly result: RefreshPortfolioResult;
  readonly items: readonly ItemCount[];
  /** Charges in the book by case, of listed cases only. */
  readonly charges: ReadonlyMap<string, number>;
  readonly done: readonly string[];
  readonly waiting: readonly string[];
}
