/** Page 1 of a lawyer's list as the import needs it: coverage, version, where page 2 is. No party and no case number. Pure. */
import {
  buildRequest,
  isCharged,
  present,
  readLawyerCases,
  readOabQuery,
  readPage,
  type Gaps,
  type LawyerCases,
  type NextPage,
  type Operation,
  type PageContext,
  type Parameters,
} from '../../contract/index.js';
import type { LawyerPageReading } from '../../protocol/index.js';
import { queryOf } from './page.js';
import type { ReadableAnswer } from './types.js';

export function readLawyerPage({
  body,
  gaps,
  operation,
  params,
  baseUrl,
}: ReadableAnswer): LawyerPageReading | undefined {
  const list = readLawyerCases(body, gaps);
  if (list === undefined) return undefined;
  const { target } = buildRequest(operation, { params, flags: [] }, gaps);
  const shown = { page: 1, listed: list.records.length };
  const { next } = readPage(body, { target, baseUrl: baseUrl ?? '', ...shown });
  const step = stepInList(next, shown, { operation, params, gaps });
  return {
    complete: isWhole(list.coverage),
    version: list.coverage.version,
    items: list.records.length,
    ...present({ available: list.counts.available ?? undefined }),
    next: step.kind === 'elsewhere' ? { ...step, kind: 'refused' } : step,
  };
}

/** A list that says nothing about its coverage counts as complete: there is nothing to wait for. */
function isWhole({ complete, partial }: LawyerCases['coverage']): boolean {
  return complete ?? partial !== true;
}

/** The number of a page, and how many cases it has. */
type ShownPage = Pick<PageContext, 'page' | 'listed'>;

/** `elsewhere`: the link leads to another lawyer's list, or cannot be followed. `refused`: it leads back. */
export type Step = LawyerPageReading['next'] | { readonly kind: 'elsewhere'; readonly problem: string };

/**
 * How to get the page after `page`. A link back to page 1 is not followed: it would be bought again. A cursor does not say which
 * page it asks for, so it only means that there is one more page, which is requested by its number, for free
 * (docs/decisions/0079). An empty page with a cursor is the last one.
 */
export function stepInList(next: NextPage, { page, listed }: ShownPage, list: AskedList): Step {
  switch (next.kind) {
    case 'link': {
      const { target } = next;
      const isOfList = isOfLawyer(target, list);
      if (isLaterPage(list.operation, target)) {
        return isOfList ? { kind: 'link', target } : ELSEWHERE;
      }
      if (!hasCursorAlone(target)) return { kind: 'refused', problem: 'the next link may be page 1 again' };
      if (!isOfList) return ELSEWHERE;
      return listed === 0 ? { kind: 'end' } : { kind: 'page', page: page + 1 };
    }
    case 'cursor':
      return { kind: 'page', page: page + 1 };
    case 'page':
      return next.page > 1
        ? { kind: 'page', page: next.page }
        : { kind: 'refused', problem: 'the next page is page 1' };
    case 'refused':
      return { kind: next.loops === true ? 'refused' : 'elsewhere', problem: next.problem };
    default:
      return { kind: 'end' };
  }
}

const ELSEWHERE = { kind: 'elsewhere', problem: 'the next link names another lawyer' } as const;

function hasCursorAlone(target: string): boolean {
  const asked = queryOf(target);
  return !asked.has('page') && (asked.get('cursor') ?? '') !== '';
}

/** Whether this link provably asks for a page after the first: only those are free (interface, rule 9). */
export function isLaterPage(operation: Operation<string>, target: string): boolean {
  // The list's page parameter is the interface's own.
  const [only, ...more] = queryOf(target).getAll('page');
  return more.length === 0 && only !== undefined && !isCharged(operation, { page: only });
}

interface AskedList {
  readonly operation: Operation<string>;
  readonly params: Parameters;
  readonly gaps: Gaps;
}

/** Whether this link names only the lawyer that was asked for, in any spelling. One that names none may have a cursor instead. */
export function isOfLawyer(target: string, { params, gaps }: Omit<AskedList, 'operation'>): boolean {
  const { oabNumberParam, oabStateParam } = gaps;
  const named = queryOf(target);
  const numbers = named.getAll(oabNumberParam);
  const states = named.getAll(oabStateParam);
  const [numero, uf] = [params[oabNumberParam], params[oabStateParam]];
  const asked = readOabQuery({ numero, uf });
  return (
    numbers.every((number) => readOabQuery({ numero: number, uf }) === asked) &&
    states.every((state) => readOabQuery({ numero, uf: state }) === asked)
  );
}
