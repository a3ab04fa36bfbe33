/** Page 1 of a lawyer's list as the import needs it: coverage, version, where page 2 is. No party and no number. Pure. */
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
    next: step.kind === 'elsewhere' ? { kind: 'refused' } : step,
    drift: list.drift.length,
  };
}

/** Without a word about its coverage a list is taken as whole: it says nothing that could be waited for. */
function isWhole({ complete, partial }: LawyerCases['coverage']): boolean {
  return complete ?? partial !== true;
}

/** Its number, and how many cases it has. */
type ShownPage = Pick<PageContext, 'page' | 'listed'>;

/** `elsewhere`: to another lawyer, which is of no use. */
type Step = LawyerPageReading['next'] | { readonly kind: 'elsewhere' };

/**
 * The page behind `page`. A link back to page 1 would be bought again: not followed. A cursor does not say which page it asks for,
 * so it is taken for the word that there is one more, which is asked for by its number: that is free (docs/decisions/0079). A page by
 * number that is empty is the last.
 */
export function stepInList(next: NextPage, { page, listed }: ShownPage, list: AskedList): Step {
  switch (next.kind) {
    case 'link': {
      const { target } = next;
      const isOfList = isOfLawyer(target, list);
      if (isLaterPage(list.operation, target)) {
        return isOfList ? { kind: 'link', target } : { kind: 'elsewhere' };
      }
      if (!hasCursorAlone(target)) return { kind: 'refused' };
      if (!isOfList) return { kind: 'elsewhere' };
      return listed === 0 ? { kind: 'end' } : { kind: 'page', page: page + 1 };
    }
    case 'cursor':
      return { kind: 'page', page: page + 1 };
    case 'page':
      return next.page > 1 ? { kind: 'page', page: next.page } : { kind: 'refused' };
    case 'refused':
      return { kind: 'refused' };
    default:
      return { kind: 'end' };
  }
}

function hasCursorAlone(target: string): boolean {
  const asked = new URLSearchParams(target.split('?')[1] ?? '');
  return !asked.has('page') && (asked.get('cursor') ?? '') !== '';
}

/** Does this link provably ask for a page behind the first? Only those are free (interface, rule 9). */
export function isLaterPage(operation: Operation<string>, target: string): boolean {
  // The list's page parameter is the interface's own.
  const [only, ...more] = new URLSearchParams(target.split('?')[1] ?? '').getAll('page');
  return more.length === 0 && only !== undefined && !isCharged(operation, { page: only });
}

export interface AskedList {
  readonly operation: Operation<string>;
  readonly params: Parameters;
  readonly gaps: Gaps;
}

/** Does this link name the lawyer that was asked for, in whatever spelling? One that names none may have a cursor instead. */
export function isOfLawyer(target: string, { params, gaps }: Omit<AskedList, 'operation'>): boolean {
  const { oabNumberParam, oabStateParam } = gaps;
  const named = new URLSearchParams(target.split('?')[1] ?? '');
  const numbers = named.getAll(oabNumberParam);
  const states = named.getAll(oabStateParam);
  const [numero, uf] = [params[oabNumberParam], params[oabStateParam]];
  const asked = readOabQuery({ numero, uf });
  return (
    numbers.every((number) => readOabQuery({ numero: number, uf }) === asked) &&
    states.every((state) => readOabQuery({ numero, uf: state }) === asked)
  );
}
