/** Starting `refreshPortfolio`: one run per portfolio, which starts ordinary refreshes of its cases. */
import {
  parseRefreshPortfolioInput,
  refreshPortfolioId,
  type RefreshPortfolioInput,
  type RefreshPortfolioResult,
} from '../protocol/index.js';
import { defineStarter, type Starter } from './define-starter.js';

/** Starts (or joins) the refresh of a list of cases. Default id `portfolio/<account>/<name>`. */
export const startRefreshPortfolio: Starter<RefreshPortfolioInput, RefreshPortfolioResult> = defineStarter({
  type: 'refreshPortfolio',
  parse: parseRefreshPortfolioInput,
  place: ({ account, name, documents }) => ({
    id: refreshPortfolioId(account, name),
    summary: `Refresh of portfolio ${name}${documents ? ' with public documents' : ''}`,
  }),
});
