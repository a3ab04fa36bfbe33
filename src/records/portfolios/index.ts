/** Portfolios over one database: stored lists, rounds over them. */
import type { Database } from '../../store/index.js';
import { casesOf, readLists, saveList } from './lists.js';
import { changeItem, countRound, openRound, readItems, spentOfRound } from './rounds.js';
import type { Portfolios } from './types.js';

export { onceOf } from './types.js';
export type { ItemState, PortfolioItem, Portfolios } from './types.js';

export function createPortfolios({ db }: { readonly db: Database }): Portfolios {
  return {
    saveList: (list) => saveList(db, list),
    lists: (account) => readLists(db, account),
    casesOf: (account, name) => casesOf(db, account, name),
    openRound: (order) => openRound(db, order),
    items: (round, state, limit) => readItems(db, round, state, limit),
    changeItem: (change) => changeItem(db, change),
    count: (round) => countRound(db, round),
    spentOf: (round) => spentOfRound(db, round),
  };
}
