/**
 * Reads the pages of one collection, one charged call each, as long as there is a next one and `maxPages` allows it. A page that
 * comes twice ends the walk: a service that goes round in circles would be paid for every round.
 */
import { patched } from '@temporalio/workflow';
import { present } from '../../contract/values/index.js';
import {
  argumentsOfPage,
  nextByTotal,
  type CollectPagesResult,
  type DescribedCall,
  type FlowCosts,
  type FollowingPage,
  type MovementsReading,
  type NextPageStep,
  type OpenedCollection,
  type PageFactsReading,
  type PagesStop,
} from '../../protocol/index.js';
import { needsNewRun } from '../flow/next-run.js';
import { either, isFlag, isNumber, isText, listOf, only, optional, shapeOf } from '../flow/shape.js';
import { stepOf } from './described-call.js';
import { unlessMissing, type Missing } from './unless-missing.js';
import { runChargedStep } from '../step/charged-step.js';
import type { Flow } from '../flow/flow.js';

type PageReading = PageFactsReading | MovementsReading;

interface Walk {
  readonly call: DescribedCall;
  /** Steps are named `<step>/<page or hash of its cursor>`. */
  readonly step: string;
  readonly maxPages: number;
  /** How the next page is read. */
  readonly view: () => 'page' | 'movements';
  /** Which answers already paid for may be reused. */
  readonly reuse: OpenedCollection;
  /** A first page that is not found (404) counts as one without items; otherwise it fails the flow. */
  readonly mayBeMissing?: true;
  readonly onPage: (reading: PageReading, sum: { readonly pages: number; readonly items: number }) => void;
  /** Where the previous run stopped. */
  readonly from: WalkPlace | undefined;
  /** Continues as new at `place`, because the history is long. */
  readonly inNewRun: (place: WalkPlace) => Promise<never>;
}

/** A place between two pages, as a run hands it to the next one. */
export interface WalkPlace {
  /** Keys of the pages that were read. */
  readonly keys: readonly string[];
  readonly fingerprints: readonly string[];
  /** The page to read next. */
  readonly following: FollowingPage;
  readonly items: number;
  /** The pages so far are not all of the collection: the walk began later, or the service searched only in part. */
  readonly partial: boolean;
}

interface WalkEnd extends Omit<CollectPagesResult, keyof FlowCosts> {
  readonly total: number | null;
}

export async function walkPages(flow: Flow, walk: Walk): Promise<WalkEnd> {
  const { call, from } = walk;
  const seenKeys = new Set(from?.keys);
  const loops = watchForLoops(from?.fingerprints);
  /** The page to read; undefined: the first one. */
  let following = from?.following;
  let items = from?.items ?? 0;
  let partial = from?.partial ?? startsLater(call);
  let lastPage: Pick<WalkEnd, 'total' | 'search'> = { total: null, search: null };
  const end = (stoppedBy?: PagesStop): WalkEnd => {
    const complete = stoppedBy === undefined && !partial;
    return { pages: seenKeys.size, items, ...lastPage, complete, ...present({ stoppedBy }) };
  };
  for (;;) {
    const reading = await readPage(flow, walk, following);
    if ('missing' in reading) {
      // An empty collection, if it is the first page and the service has looked for it.
      return end(following === undefined && reading.looked ? undefined : 'not found');
    }
    const isLoop = loops.isLoop(reading);
    seenKeys.add(following?.key ?? '1');
    if (!isLoop) items += reading.items;
    partial ||= reading.partial === true;
    lastPage = { total: reading.total, search: reading.search };
    walk.onPage(reading, { pages: seenKeys.size, items });

    const byTotal = nextByTotal(call, reading, { following, items });
    // Runs from before this patch ended behind the second page.
    const next = byTotal !== undefined && patched('pages-go-on-to-their-total') ? byTotal : reading.next;
    if (isLoop) return end('loop');
    if (!('key' in next)) return end(stopAt(next));
    if (seenKeys.has(next.key)) return end('loop');
    if (seenKeys.size >= walk.maxPages) return end('maxPages');
    following = next;
    if (needsNewRun()) {
      await walk.inNewRun({ keys: [...seenKeys], fingerprints: loops.seen(), following, items, partial });
    }
  }
}

/** Why the walk stops at a page that names no next one; undefined at the last page of the collection. */
function stopAt(next: Exclude<NextPageStep, FollowingPage>): PagesStop | undefined {
  switch (next.kind) {
    case 'end':
      return undefined;
    case 'refused':
      return next.loops === true ? 'loop' : 'refused link';
    case 'unsaid':
      return 'unsaid';
  }
}

/**
 * So many repeated records prove a loop, on one page or on pages that follow one another. Fewer records without an id may be
 * equal by chance: two entries of one day with the same text.
 */
const MIN_REPEATS = 3;
/** A page without items may have a next link, but the link behind so many of them in a row leads nowhere, and each is paid. */
const MIN_EMPTY_PAGES = 3;

/** Does a page show that the service goes round in circles? Asked once for each page, in order. */
function watchForLoops(fingerprints: readonly string[] = []) {
  const seen = new Set(fingerprints);
  /** Items on the last pages in a row that came before. */
  let repeated = 0;
  /** Pages in a row without items. */
  let empty = 0;
  return {
    isLoop: ({ fingerprint, items }: PageReading): boolean => {
      repeated = seen.has(fingerprint) ? repeated + items : 0;
      empty = items === 0 ? empty + 1 : 0;
      seen.add(fingerprint);
      if (repeated >= MIN_REPEATS && (items >= MIN_REPEATS || patched('small-pages-tell-of-a-loop'))) return true;
      return empty >= MIN_EMPTY_PAGES && patched('empty-pages-tell-of-a-loop');
    },
    seen: () => [...seen],
  };
}

const isFollowing = either(
  either(
    shapeOf<Extract<FollowingPage, { kind: 'link' }>>({ kind: only('link'), key: isText, target: isText }),
    shapeOf<Extract<FollowingPage, { kind: 'page' }>>({ kind: only('page'), key: isText, page: isNumber }),
  ),
  shapeOf<Extract<FollowingPage, { kind: 'cursor' }>>({
    kind: only('cursor'),
    key: isText,
    cursor: isText,
    li: optional(isText),
  }),
);

export const isWalkPlace = shapeOf<WalkPlace>({
  keys: listOf(isText),
  fingerprints: listOf(isText),
  following: isFollowing,
  items: isNumber,
  partial: isFlag,
});

async function readPage(flow: Flow, walk: Walk, following: FollowingPage | undefined): Promise<PageReading | Missing> {
  const { call, view, reuse, mayBeMissing = false } = walk;
  const key = following?.key ?? '1';
  const run = mayBeMissing || following !== undefined ? unlessMissing : runChargedStep;
  const done = await run(flow, {
    ...stepOf(call, { step: `${walk.step}/${key}`, title: `GET ${call.operation} page ${key}` }),
    ...argumentsOfPage(call, following),
    view: view(),
    ...present({ maxAgeMs: reuse.maxAgeMs, notBeforeMs: reuse.notBeforeMs }),
  });
  return 'missing' in done ? done : done.reading;
}

/** A walk that begins after the first page does not read the whole collection. */
function startsLater({ params, pageParameter = 'page' }: DescribedCall): boolean {
  return params['cursor'] !== undefined || (params[pageParameter] ?? '1') !== '1';
}
