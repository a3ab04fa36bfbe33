/**
 * Door of the portfolio's soak: thousands of stored cases under a cap, the worker killed and started anew meanwhile, people
 * asking in between, the books and the worker's memory looked at afterwards. The fault matrix is the soak's other part.
 */
export { runPortfolio } from './run-portfolio.js';
export type { PortfolioFigures, PortfolioOptions, PortfolioReport } from './types.js';
