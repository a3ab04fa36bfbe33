/** Starting `searchBoard` idempotently: id from period, filters and pages. */
import {
  parseSearchBoardInput,
  searchBoardId,
  type SearchBoardInput,
  type SearchBoardResult,
} from '../protocol/index.js';
import { defineStarter, type Starter } from './define-starter.js';

/** Starts (or joins) a search of the electoral bulletin board. Default id `board/<account>/<hash>`. */
export const startSearchBoard: Starter<SearchBoardInput, SearchBoardResult> = defineStarter({
  type: 'searchBoard',
  parse: parseSearchBoardInput,
  place: ({ account, from, to, filters, maxPages }, { token }) => ({
    id: searchBoardId(account, token('board', { from, to, filters, maxPages })),
    summary: `Electoral bulletin board from ${from} to ${to}, at most ${maxPages} pages`,
  }),
});
