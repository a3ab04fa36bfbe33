/**
 * Pages of one collection, one charged call each, as long as there is a next one and `maxPages` allows it. A page that comes
 * twice ends the walk: a service that goes round in circles would be paid for every round.
 */
import type { Parameters } from '../../contract/route.js';
import type { JsonObject } from '../../contract/json.js';
import type { NextPageStep, OpenedCollection, PageFactsReading, PagesStop } from '../../protocol/index.js';
import { runChargedStep } from '../step/charged-step.js';
import { stepOf, type DescribedCall } from './described-call.js';
import type { Flow } from '../flow/flow.js';

export interface Walk {
  readonly call: DescribedCall;
  /** Steps are named `<step>/<page or hash of its cursor>`. */
  readonly step: string;
  readonly maxPages: number;
  readonly view: 'page' | 'movements';
  /** Which answers already paid for may be taken. */
  readonly reuse: OpenedCollection;
  readonly onPage: (reading: PageFactsReading, sum: { readonly pages: number; readonly items: number }) => void;
}

export interface WalkEnd {
  readonly pages: number;
  readonly items: number;
  readonly total: number | null;
  readonly complete: boolean;
  readonly stoppedBy?: PagesStop;
  readonly search: JsonObject | null;
}

/** Fewer records without an id may well be equal: two entries of one day with the same text. */
const TELLING_ITEMS = 3;

type Following = Extract<NextPageStep, { readonly key: string }>;

export async function walkPages(flow: Flow, walk: Walk): Promise<WalkEnd> {
  const seenKeys = new Set<string>();
  const seenPages = new Set<string>();
  let following: Following | undefined;
  let items = 0;
  let partial = startsLater(walk.call);
  for (;;) {
    const reading = await readPage(flow, walk, following);
    const looped = reading.items >= TELLING_ITEMS && seenPages.has(reading.fingerprint);
    seenPages.add(reading.fingerprint);
    seenKeys.add(following?.key ?? '1');
    items += looped ? 0 : reading.items;
    partial ||= reading.partial === true;
    const pages = seenKeys.size;
    walk.onPage(reading, { pages, items });

    const { next, total, search } = reading;
    const end = (stoppedBy?: PagesStop): WalkEnd => ({
      ...{ pages, items, total, search },
      complete: stoppedBy === undefined && !partial,
      ...(stoppedBy === undefined ? {} : { stoppedBy }),
    });
    if (looped) return end('loop');
    if (next.kind === 'end') return end();
    if (next.kind === 'refused') return end('refused link');
    if (next.kind === 'unsaid') return end('unsaid');
    if (seenKeys.has(next.key)) return end('loop');
    if (pages >= walk.maxPages) return end('maxPages');
    following = next;
  }
}

async function readPage(flow: Flow, walk: Walk, following: Following | undefined): Promise<PageFactsReading> {
  const { call, view, reuse } = walk;
  const key = following?.key ?? '1';
  const done = await runChargedStep(flow, {
    ...stepOf(call, { step: `${walk.step}/${key}`, title: `GET ${call.operation} page ${key}` }),
    ...argumentsOf(call, following),
    view,
    ...(reuse.maxAgeMs === undefined ? {} : { maxAgeMs: reuse.maxAgeMs }),
    ...(reuse.notBeforeMs === undefined ? {} : { notBeforeMs: reuse.notBeforeMs }),
  });
  return done.reading as unknown as PageFactsReading;
}

function argumentsOf(
  { params, pageParameter = 'page' }: DescribedCall,
  following: Following | undefined,
): { readonly params: Parameters; readonly target?: string } {
  if (following === undefined) return { params };
  const { [pageParameter]: _page, ...rest } = params;
  switch (following.kind) {
    case 'link':
      return { params, target: following.target };
    case 'cursor':
      return {
        params: { ...rest, cursor: following.cursor, ...(following.li === undefined ? {} : { li: following.li }) },
      };
    case 'page':
      return { params: { ...rest, [pageParameter]: following.page } };
  }
}

/** A walk that begins behind the first page is no whole collection. */
function startsLater({ params, pageParameter = 'page' }: DescribedCall): boolean {
  return params['cursor'] !== undefined || (params[pageParameter] ?? '1') !== '1';
}
