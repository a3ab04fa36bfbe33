/** `refreshPortfolio`: ordinary refreshes of a list of cases, under one cap. */
import { parseCnj, type Cnj } from '../../contract/values/index.js';
import { defineFlow, workflowIdOf } from '../flow.js';
import { boundedList, caseNumber, textLike, wholeNumber, yesNo } from '../inputs/kinds.js';
import { problem, type Member } from '../inputs/members.js';
import type { CommonInput } from '../inputs/common.js';
import type { FlowCosts } from '../results.js';

/** Input of `refreshPortfolio`: a list of cases to refresh, each once a round. */
export interface RefreshPortfolioInput extends CommonInput {
  /** Name of the portfolio, and of its stored list (`tramita lists load`). */
  readonly name: string;
  /** At most 1,000 case numbers; the stored list of that name where absent. */
  readonly cases?: readonly string[];
  /** Refreshes in flight; 20. */
  readonly concurrency?: number;
  /** Also list the public documents of each case. */
  readonly documents?: boolean;
}

/**
 * Result of `refreshPortfolio`: the states of the cases of its round, and what the refreshes of that round were charged; each has its
 * own receipts. A start under the same `once` goes on with the round, and all of it tells what earlier starts have done and paid too.
 */
export interface RefreshPortfolioResult extends FlowCosts {
  /** Refreshes that ended well. */
  readonly done: number;
  /** Refreshes that ended badly. */
  readonly failed: number;
  /** Refreshes that wait for a person; they are not waited for. */
  readonly parked: number;
  /** A run of the case with another input was under way. */
  readonly skipped: number;
  /** Not started, or not ended yet: start again to go on. */
  readonly remaining: number;
  /** Why cases remain: a cap was reached, or the account cannot buy (balance, credentials). */
  readonly stoppedBy?: 'budget' | 'account';
}

export const PORTFOLIO_NAME = /^[A-Za-z0-9][\w.-]{0,79}$/;
const MAX_CASES = 1_000;

const cases: Member<readonly Cnj[] | undefined> = {
  schema: { type: 'array', minItems: 1, maxItems: MAX_CASES, items: caseNumber.schema },
  read: (value, name) => {
    if (value === undefined) return undefined;
    const given = boundedList(value, name, {
      least: 1,
      most: MAX_CASES,
      expected: `a list of 1 to ${MAX_CASES} case numbers; load a longer list with "tramita lists load"`,
    });
    return given.map((each, place) => {
      const parsed = parseCnj(each);
      if (!parsed.ok) throw problem(`${name}[${place}]`, parsed.problem, each);
      return parsed.cnj;
    });
  },
};

/** `maxSpend` caps the portfolio as a whole. */
export const refreshPortfolio = defineFlow<RefreshPortfolioInput, RefreshPortfolioResult>()({
  idPrefix: 'portfolio',
  scheduled: true,
  example: '{"name":"monday"}',
  members: {
    name: textLike(PORTFOLIO_NAME, 'must be 1 to 80 letters, digits, ".", "-" or "_"'),
    cases,
    concurrency: wholeNumber({ max: 200, fallback: 20 }),
    documents: yesNo,
  },
  place: ({ name, documents }) => ({
    id: [name],
    summary: `Refresh of portfolio ${name}${documents ? ' with public documents' : ''}`,
  }),
});

/** Default workflow id of `refreshPortfolio`. */
export function refreshPortfolioId(account: string, name: string): string {
  return workflowIdOf(refreshPortfolio, account, name);
}
