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
  const { next } = readPage(body, { target, baseUrl: baseUrl ?? '', page: 1, listed: list.records.length });
  return {
    complete: isWhole(list.coverage),
    version: list.coverage.version,
    items: list.records.length,
    ...present({ available: list.counts.available ?? undefined }),
    next: stepOf(next, { operation, params, gaps }),
    drift: list.drift.length,
  };
}

/** Without a word about its coverage a list is taken as whole: it says nothing that could be waited for. */
function isWhole({ complete, partial }: LawyerCases['coverage']): boolean {
  return complete ?? partial !== true;
}

/** A link back to page 1 would be bought again, and one to another lawyer is of no use: they are not followed. */
function stepOf(
  next: NextPage,
  list: AskedList & { readonly operation: Operation<string> },
): LawyerPageReading['next'] {
  switch (next.kind) {
    case 'link': {
      const { target } = next;
      return isLaterPage(list.operation, target) && isOfLawyer(target, list)
        ? { kind: 'link', target }
        : { kind: 'refused' };
    }
    case 'page':
      return next.page > 1 ? { kind: 'page', page: next.page } : { kind: 'refused' };
    case 'refused':
      return { kind: 'refused' };
    default:
      return { kind: 'end' };
  }
}

/** Does this link provably ask for a page behind the first? Only those are free (interface, rule 9). */
export function isLaterPage(operation: Operation<string>, target: string): boolean {
  // The list's page parameter is the interface's own.
  const [only, ...more] = new URLSearchParams(target.split('?')[1] ?? '').getAll('page');
  return more.length === 0 && only !== undefined && !isCharged(operation, { page: only });
}

interface AskedList {
  readonly params: Parameters;
  readonly gaps: Gaps;
}

/** Does this link name the lawyer that was asked for, in whatever spelling? One that names none may have a cursor instead. */
export function isOfLawyer(target: string, { params, gaps }: AskedList): boolean {
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
