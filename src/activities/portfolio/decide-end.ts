/** What the end of one refresh means for its case and for the rest of the portfolio. Pure. */
import type { ItemState } from '../../records/index.js';
import type { SweepEnd } from '../deps.js';

interface ItemEnd {
  readonly state: ItemState;
  readonly reason?: string;
  /** No further refresh is started: this cause would stop the next one as well. */
  readonly stops?: 'budget' | 'account';
}

/** Failures that say nothing about the case: the account cannot buy. */
const OF_THE_ACCOUNT: readonly string[] = ['InsufficientBalance', 'Unauthorized', 'Forbidden'];

export function decideEnd(end: SweepEnd): ItemEnd {
  switch (end.kind) {
    case 'done':
      return { state: 'done' };
    case 'parked':
      return { state: 'parked', reason: end.attention };
    case 'failed':
      // Nothing was sent: the case waits until the budget has room.
      if (end.type === 'BudgetExceeded') return { state: 'waiting', reason: end.type, stops: 'budget' };
      if (OF_THE_ACCOUNT.includes(end.type)) return { state: 'waiting', reason: end.type, stops: 'account' };
      return { state: 'failed', reason: end.type };
  }
}
