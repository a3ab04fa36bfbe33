/**
 * `readCase`: what `include` names of one case, each a charged call of its own, and nothing else. Documents only after their
 * refresh; movements and documents up to `maxPages` pages each. Many pages go on in a new run.
 */
import { isJsonObject } from '../contract/json.js';
import { present } from '../contract/values/index.js';
import {
  FLOWS,
  type FlowCosts,
  type FlowSettings,
  type MovementResult,
  type ReadCaseResult,
} from '../protocol/index.js';
import { beginFlow } from './flow/begin-flow.js';
import { defineFlow } from './flow/define-flow.js';
import { readCaseDocuments } from './parts/case-documents.js';
import { isDocumentsPlace, type DocumentsPlace } from './parts/documents-place.js';
import { runChargedStep } from './step/charged-step.js';
import { readCarried } from './flow/carried.js';
import { describe } from './parts/described-call.js';
import { checkDocumentsRefreshed } from './parts/documents-guard.js';
import { NOTHING_KEPT, fitLists, isKept, keep, type Kept } from './flow/fit-result.js';
import type { Flow } from './flow/flow.js';
import { continueInNewRun } from './flow/next-run.js';
import { readInput } from './flow/read-input.js';
import { isFlag, isNumber, optional, shapeOf, where, type Is } from './flow/shape.js';
import { isWalkPlace, walkPages, type WalkPlace } from './parts/walk-pages.js';

type Part = Omit<ReadCaseResult, 'cnj' | keyof FlowCosts>;

/** Where a run has come to: the parts that are read, and the place in the list that it is reading. */
interface Place {
  /** So many of `include`. */
  readonly read: number;
  readonly parts: Part;
  readonly movements?: MovementsPlace;
  readonly documents?: DocumentsPlace;
}

interface MovementsPlace {
  readonly walk: WalkPlace;
  readonly kept: Kept<MovementResult>;
  readonly cut: boolean;
  /** So many came on pages before; absent where none did. */
  readonly repeats?: number;
}

const isMovement: Is<MovementResult> = (value): value is MovementResult => isJsonObject(value);

const isPlace = shapeOf<Place>({
  read: isNumber,
  parts: isJsonObject,
  movements: optional(
    shapeOf<MovementsPlace>({ walk: isWalkPlace, kept: isKept(isMovement), cut: isFlag, repeats: optional(isNumber) }),
  ),
  documents: optional(isDocumentsPlace),
});

/** A run ends in the middle of a list: of movements or of documents. */
const isHandedOn = shapeOf<{ readonly place: Place }>({
  place: where(isPlace, ({ movements, documents }) => (movements ?? documents) !== undefined),
});

/** What reads one part. */
interface Reader {
  readonly flow: Flow;
  readonly settings: FlowSettings<'readCase'>;
  readonly from: Place;
  readonly inNewRun: (place: Pick<Place, 'movements' | 'documents'>) => Promise<never>;
}

const READERS: Readonly<Record<FlowSettings<'readCase'>['include'][number], (reader: Reader) => Promise<Part>>> = {
  cover: recordReader('cover', 'getCase', 'GET case'),
  movements: readMovements,
  documents: readDocuments,
  summary: recordReader('summary', 'getSummary', 'GET summary'),
};

export const readCase = defineFlow('readCase', async (input, ...more): Promise<ReadCaseResult> => {
  const settings = readInput(FLOWS.readCase.parse, input);
  const carried = readCarried(input, more, isHandedOn);
  const { cnj, include } = settings;
  const flow = await beginFlow({ type: 'readCase', settings, cnj, book: carried?.book });
  if (carried === undefined && include.includes('documents')) {
    await checkDocumentsRefreshed(flow, cnj, 'listPublicDocuments/1');
  }

  let from: Place = carried?.place ?? { read: 0, parts: {} };
  for (const part of include.slice(from.read)) {
    const { read, parts } = from;
    const inNewRun: Reader['inNewRun'] = (place) => continueInNewRun(flow, input, { place: { read, parts, ...place } });
    from = { read: read + 1, parts: merge(parts, await READERS[part]({ flow, settings, from, inNewRun })) };
  }
  return fitLists({ cnj, ...from.parts, ...flow.end() }, ['movements', 'documents']);
});

function merge(left: Part, right: Part): Part {
  return { ...left, ...right, ...(left.truncated === true ? { truncated: true } : {}) };
}

/** A record that is larger than an answer may be that travels is only in the database. */
function recordReader(part: 'cover' | 'summary', operation: string, title: string): (reader: Reader) => Promise<Part> {
  return async ({ flow, settings: { cnj, maxAgeMs } }) => {
    const { reading } = await runChargedStep(flow, {
      step: operation,
      operation,
      title,
      params: { cnj },
      flags: [],
      view: 'record',
      ...present({ maxAgeMs }),
    });
    return reading.record === undefined ? { truncated: true } : { [part]: reading.record };
  };
}

async function readMovements({ flow, settings, from, inNewRun }: Reader): Promise<Part> {
  const { cnj, maxPages, maxAgeMs } = settings;
  const call = await describe(flow, { operation: 'listMovements', params: { cnj } });
  let kept: Kept<MovementResult> = from.movements?.kept ?? NOTHING_KEPT;
  let cut = from.movements?.cut ?? false;
  let repeats = from.movements?.repeats ?? 0;
  const end = await walkPages(flow, {
    call,
    maxPages,
    step: 'listMovements',
    from: from.movements?.walk,
    // What no result can hold does not travel: further pages say how many they have.
    view: () => (kept.dropped ? 'page' : 'movements'),
    reuse: maxAgeMs === undefined ? {} : { maxAgeMs },
    onPage: (reading, { pages, items }) => {
      if ('movements' in reading) {
        const news = newOf(reading.movements, kept);
        repeats += reading.movements.length - news.length;
        kept = keep(kept, news);
        cut ||= reading.cut;
      }
      flow.count({ movementPages: pages, movements: items - repeats });
    },
    inNewRun: (walk) => inNewRun({ movements: { walk, kept, cut, repeats } }),
  });
  return {
    movements: kept.items,
    movementCount: Math.max(end.total ?? 0, end.items - repeats),
    moreMovements: !end.complete,
    ...(cut || kept.dropped ? { truncated: true } : {}),
  };
}

/** Those that no page before has: a list that grows meanwhile shows some again. */
function newOf(movements: readonly MovementResult[], { items }: Kept<MovementResult>): readonly MovementResult[] {
  const seen = new Set(items.flatMap(({ id }) => id ?? []));
  return movements.filter(({ id }) => id === null || !seen.has(id));
}

function readDocuments({ flow, settings, from, inNewRun }: Reader): Promise<Part> {
  const { maxAgeMs: _reuse, ...again } = settings;
  // A stored list has old links: `relist` pays for fresh ones.
  const listing = settings.relist ? again : settings;
  return readCaseDocuments(flow, {
    settings: { ...listing, documents: true, download: false, relist: false },
    refreshedAtMs: 0,
    from: from.documents,
    inNewRun: (documents) => inNewRun({ documents }),
  });
}
