/** Input of `refreshPortfolio`. Pure. */
import { parseCnj, type Cnj, present } from '../../contract/values/index.js';
import { COMMON_MEMBERS, commonSettings, type CommonInput, type CommonSettings } from './common.js';
import { flag, guard, objectMembers, positiveInteger, problem, type Parsed } from './members.js';

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

export interface RefreshPortfolioSettings extends CommonSettings {
  readonly name: string;
  readonly cases?: readonly Cnj[];
  readonly concurrency: number;
  readonly documents: boolean;
}

export const PORTFOLIO_NAME = /^[A-Za-z0-9][\w.-]{0,79}$/;
const MEMBERS = ['name', 'cases', 'concurrency', 'documents', ...COMMON_MEMBERS] as const;
const MAX_CASES = 1_000;
const MAX_CONCURRENCY = 200;

/** `problem` names the member, what was seen and what is expected. `maxSpend` caps the portfolio as a whole. */
export function parseRefreshPortfolioInput(input: unknown): Parsed<RefreshPortfolioSettings> {
  return guard(() => {
    const members = objectMembers(input, MEMBERS, '{"name":"monday"}');
    const { name } = members;
    if (typeof name !== 'string' || !PORTFOLIO_NAME.test(name)) {
      throw problem('name', 'must be 1 to 80 letters, digits, ".", "-" or "_"', name ?? null);
    }
    const cases = caseList(members['cases']);
    return {
      ...commonSettings(members),
      name,
      ...present({ cases }),
      concurrency: positiveInteger(members, 'concurrency', 20, MAX_CONCURRENCY),
      documents: flag(members, 'documents'),
    };
  });
}

function caseList(given: unknown): readonly Cnj[] | undefined {
  if (given === undefined) return undefined;
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_CASES) {
    const seen = Array.isArray(given) ? `${given.length} items` : given;
    throw problem(
      'cases',
      `must be a list of 1 to ${MAX_CASES} case numbers; load a longer list by "tramita lists load"`,
      seen,
    );
  }
  return given.map((value: unknown, place) => {
    const parsed = parseCnj(value);
    if (!parsed.ok) throw problem(`cases[${place}]`, parsed.problem, typeof value === 'string' ? value : typeof value);
    return parsed.cnj;
  });
}
