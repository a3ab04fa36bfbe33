/**
 * `collectPages`: buys the pages of one query, one charged call each, until `maxPages`, a cap, or the last page. A collection
 * that stopped at `maxPages`, or whose flow failed, stays open and the next start continues it. Any other is bought again
 * unless `maxAge` allows reuse. Items go to the records; the result counts them. A long history continues as new.
 */
import { patched } from '@temporalio/workflow';
import { present } from '../contract/values/index.js';
import {
  FLOWS,
  pagesProblem,
  type CollectPagesResult,
  type OpenedCollection,
  type PagesStop,
} from '../protocol/index.js';
import { beginFlow } from './flow/begin-flow.js';
import { defineFlow } from './flow/define-flow.js';
import { freeCalls } from './flow/calls.js';
import { readCarried } from './flow/carried.js';
import { caseOf, describe } from './parts/described-call.js';
import { checkDocumentsRefreshed, splitRefreshGuard } from './parts/documents-guard.js';
import { continueInNewRun } from './flow/next-run.js';
import { readInput } from './flow/read-input.js';
import { isNumber, optional, shapeOf } from './flow/shape.js';
import { isWalkPlace, walkPages, type WalkPlace } from './parts/walk-pages.js';

interface Place {
  readonly reuse: OpenedCollection;
  readonly walk: WalkPlace;
}

const isPlace = shapeOf<Place>({
  reuse: shapeOf<OpenedCollection>({ maxAgeMs: optional(isNumber), notBeforeMs: optional(isNumber) }),
  walk: isWalkPlace,
});

export const collectPages = defineFlow('collectPages', async (input, ...more): Promise<CollectPagesResult> => {
  const settings = readInput(FLOWS.collectPages.parse, input);
  const carried = readCarried(input, more, isPlace);
  const { account, operation, maxPages, maxAgeMs } = settings;
  const cnj = caseOf(settings.params);
  const flow = await beginFlow({ type: 'collectPages', settings, cnj, label: operation, book: carried?.book });

  const { params, evenIfNotRefreshed } = splitRefreshGuard(flow, settings);
  const call = await describe(flow, { operation, params });
  const problem = pagesProblem(operation, call.paging);
  if (problem !== undefined) throw flow.fail('InvalidInput', problem);
  if (carried === undefined && operation === 'listPublicDocuments' && !evenIfNotRefreshed) {
    await checkDocumentsRefreshed(flow, cnj, `${operation}/1`);
  }

  const collection = { account, key: call.token };
  const reuse =
    carried?.reuse ??
    (await freeCalls(`open the collection of ${operation}`).openCollection({
      ...collection,
      operation,
      ...present({ maxAgeMs }),
    }));
  const end = await walkPages(flow, {
    call,
    maxPages,
    reuse,
    step: operation,
    view: () => 'page',
    from: carried?.walk,
    onPage: ({ total }, { pages, items }) => flow.count({ pages, items, ...(total === null ? {} : { total }) }),
    inNewRun: (walk) => continueInNewRun(flow, input, { reuse, walk }),
  });
  const { pages, items, complete, stoppedBy, search } = end;
  if (!staysOpen(stoppedBy)) {
    await freeCalls(`close the collection of ${operation}`).finishCollection({ ...collection, pages, items, complete });
  }
  return { pages, items, complete, search, ...present({ stoppedBy }), ...flow.end() };
});

/**
 * A collection that stopped at `maxPages` has more pages, so the next start continues it. After any other stop there is nothing
 * to continue, and the next start begins again. Runs from before this patch close the collection after every stop.
 */
function staysOpen(stoppedBy: PagesStop | undefined): boolean {
  return stoppedBy === 'maxPages' && patched('collection-stays-open-at-max-pages');
}
