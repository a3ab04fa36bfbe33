/** The parser of each workflow type's input, for callers that have its name as text. Pure. */
import type { WorkflowType } from '../names.js';
import type { CommonSettings } from './common.js';
import type { Parsed } from './members.js';
import { parseRefreshCaseInput } from './refresh-case.js';
import { parseRefreshPortfolioInput } from './refresh-portfolio.js';

const PARSERS: Readonly<Record<WorkflowType, (input: unknown) => Parsed<CommonSettings>>> = {
  refreshCase: parseRefreshCaseInput,
  refreshPortfolio: parseRefreshPortfolioInput,
};

export function parseInputOf(type: WorkflowType): (input: unknown) => Parsed<CommonSettings> {
  return PARSERS[type];
}
