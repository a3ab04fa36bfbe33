/**
 * Pages of one collection, one charged call each, as long as there is a next one and `maxPages` allows it. A page that comes
 * twice ends the walk: a service that goes round in circles would be paid for every round.
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
  /** Which answers already paid for may be taken. */
  readonly reuse: OpenedCollection;
  /** A first page that is not found (404) is one without items; else it ends the flow. */
  readonly mayBeMissing?: true;
  readonly onPage: (reading: PageReading, sum: { readonly pages: number; readonly items: number }) => void;
  /** Where the run before has come to. */
  readonly from: WalkPlace | undefined;
  /** The history is long: goes on at `place` in a new run. */
  readonly inNewRun: (place: WalkPlace) => Promise<never>;
}

/** A place between two pages, as a run hands it to the next one. */
export interface WalkPlace {
  readonly keys: readonly string[];
  readonly fingerprints: readonly string[];
  readonly following: FollowingPage;
  readonly items: number;
  readonly partial: boolean;
}

interface WalkEnd extends Omit<CollectPagesResult, keyof FlowCosts> {
  readonly total: number | null;
}

export async function walkPages(flow: Flow, walk: Walk): Promise<WalkEnd> {
  const { call, from } = walk;
  const seenKeys = new Set(from?.keys);
  const loops = watchForLoops(from?.fingerprints);
  let following = from?.following;
  let items = from?.items ?? 0;
  let partial = from?.partial ?? startsLater(call);
  let told: Pick<WalkEnd, 'total' | 'search'> = { total: null, search: null };
  const end = (stoppedBy?: PagesStop): WalkEnd => {
    const complete = stoppedBy === undefined && !partial;
    return { pages: seenKeys.size, items, ...told, complete, ...present({ stoppedBy }) };
  };
  for (;;) {
    const reading = await readPage(flow, walk, following);
    if ('missing' in reading) {
      // The page before said that it is there, or nothing says that the service has looked.
      return end(following === undefined && reading.looked ? undefined : 'not found');
    }
    const looped = loops.isLoop(reading);
    seenKeys.add(following?.key ?? '1');
    items += looped ? 0 : reading.items;
    partial ||= reading.partial === true;
    const pages = seenKeys.size;
    walk.onPage(reading, { pages, items });
    told = { total: reading.total, search: reading.search };

    const counted = nextByTotal(call, reading, { following, items });
    // Runs from before this patch ended behind the second page.
    const next = counted !== undefined && patched('pages-go-on-to-their-total') ? counted : reading.next;
    if (looped) return end('loop');
    if (next.kind === 'end') return end();
    if (next.kind === 'refused') return end(next.loops === true ? 'loop' : 'refused link');
    if (next.kind === 'unsaid') return end('unsaid');
    if (seenKeys.has(next.key)) return end('loop');
    if (pages >= walk.maxPages) return end('maxPages');
    following = next;
    if (!needsNewRun()) continue;
    await walk.inNewRun({ keys: [...seenKeys], fingerprints: loops.seen(), following: next, items, partial });
  }
}

/**
 * Fewer records without an id may well be equal: two entries of one day with the same text. So many prove a loop, on one page
 * or on pages that follow one another.
 */
const TELLING_ITEMS = 3;
/** A link goes on behind a page without items, but one behind so many of them in a row leads nowhere, and each is paid. */
const EMPTY_PAGES = 3;

/** Does a page show that the service goes round in circles? Asked once for each page, in order. */
function watchForLoops(fingerprints: readonly string[] = []) {
  const seen = new Set(fingerprints);
  let repeated = 0;
  let empty = 0;
  return {
    isLoop: ({ fingerprint, items }: PageReading): boolean => {
      repeated = seen.has(fingerprint) ? repeated + items : 0;
      empty = items === 0 ? empty + 1 : 0;
      seen.add(fingerprint);
      if (repeated >= TELLING_ITEMS && (items >= TELLING_ITEMS || patched('small-pages-tell-of-a-loop'))) return true;
      return empty >= EMPTY_PAGES && patched('empty-pages-tell-of-a-loop');
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

/** A walk that begins behind the first page is no whole collection. */
function startsLater({ params, pageParameter = 'page' }: DescribedCall): boolean {
  return params['cursor'] !== undefined || (params[pageParameter] ?? '1') !== '1';
}
