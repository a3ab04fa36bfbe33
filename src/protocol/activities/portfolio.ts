/** One shift of a portfolio. Types only. */
import type { Cnj } from '../../contract/values/index.js';
import type { RefreshCaseInput } from '../flows/refresh-case.js';
import type { RefreshPortfolioResult } from '../flows/refresh-portfolio.js';

/** One shift of a portfolio's dispatcher. */
export interface DispatchInput {
  /** Name of the round, forever: a start with the same name continues it. */
  readonly round: string;
  readonly account: string;
  readonly name: string;
  readonly cases?: readonly Cnj[];
  readonly concurrency: number;
  readonly shiftMs: number;
  /** Set in the first shift of a start: cases that were skipped, or could not be sent, are tried again. */
  readonly triesAgain?: boolean;
  /** Cap of the whole round. */
  readonly maxSpend?: string;
  /** What every refresh is started with, beside case and account. */
  readonly refresh: Pick<RefreshCaseInput, 'documents' | 'maxAge' | 'webhook'>;
}

export interface DispatchResult extends Omit<RefreshPortfolioResult, 'stoppedBy' | 'receipts'> {
  /** Nothing is in flight, and nothing more can be started. */
  readonly finished: boolean;
  readonly stoppedBy: 'budget' | 'account' | null;
}
