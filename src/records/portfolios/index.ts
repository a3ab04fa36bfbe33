/** Portfolios over one database: stored lists, rounds over them. */
import type { Database } from '../../store/index.js';
import { createLists } from './lists.js';
import { createRounds } from './rounds.js';
import type { Portfolios } from './types.js';

export { onceOf } from './types.js';
export type { CaseActivity, ItemState, PortfolioItem, Portfolios } from './types.js';

export function createPortfolios({ db }: { readonly db: Database }): Portfolios {
  return { ...createLists(db), ...createRounds(db) };
}
