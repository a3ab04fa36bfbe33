/**
 * `readCase`: reads the parts of one case that `include` names, each by a charged call of its own. Documents only after their
 * refresh; movements and documents up to `maxPages` pages each. A long history continues as new.
 */
import { isJsonObject } from '../contract/json.js';
import { present } from '../contract/values/index.js';
import {
  FLOWS,
  type CasePart,
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

/** How far a run got: the parts that it has read, and the place in the list that it is reading. */
interface Place {
  /** How many parts of `include` have been read. */
  readonly read: number;
  readonly parts: Part;
  readonly movements?: MovementsPlace;
  readonly documents?: DocumentsPlace;
}

interface MovementsPlace {
  readonly walk: WalkPlace;
  readonly kept: Kept<MovementResult>;
  readonly cut: boolean;
  /** How many movements also came on earlier pages; absent if none did. */
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

/** A run continues as new only in the middle of a list, of movements or of documents. */
const isHandedOn = shapeOf<{ readonly place: Place }>({
  place: where(isPlace, ({ movements, documents }) => (movements ?? documents) !== undefined),
});

/** What the reader of a part gets. */
interface PartContext {
  readonly flow: Flow;
  readonly settings: FlowSettings<'readCase'>;
  readonly from: Place;
  readonly inNewRun: (place: Pick<Place, 'movements' | 'documents'>) => Promise<never>;
}

type PartReader = (context: PartContext) => Promise<Part>;

const READERS: Readonly<Record<CasePart, PartReader>> = {
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
    const inNewRun: PartContext['inNewRun'] = (place) =>
      continueInNewRun(flow, input, { place: { read, parts, ...place } });
    from = { read: read + 1, parts: merge(parts, await READERS[part]({ flow, settings, from, inNewRun })) };
  }
  return fitLists({ cnj, ...from.parts, ...flow.end() }, ['movements', 'documents']);
});

function merge(left: Part, right: Part): Part {
  return { ...left, ...right, ...(left.truncated === true ? { truncated: true } : {}) };
}

/** A record that is too large for a result is only in the database. */
function recordReader(part: 'cover' | 'summary', operation: string, title: string): PartReader {
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

async function readMovements({ flow, settings, from, inNewRun }: PartContext): Promise<Part> {
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
    // Once the result is full, further pages only report how many movements they have.
    view: () => (kept.dropped ? 'page' : 'movements'),
    reuse: maxAgeMs === undefined ? {} : { maxAgeMs },
    onPage: (reading, { pages, items }) => {
      if ('movements' in reading) {
        const added = unseen(reading.movements, kept);
        repeats += reading.movements.length - added.length;
        kept = keep(kept, added);
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

/** The movements that no earlier page had: a list that grows while it is read repeats some. */
function unseen(movements: readonly MovementResult[], { items }: Kept<MovementResult>): readonly MovementResult[] {
  const seen = new Set(items.flatMap(({ id }) => id ?? []));
  return movements.filter(({ id }) => id === null || !seen.has(id));
}

function readDocuments({ flow, settings, from, inNewRun }: PartContext): Promise<Part> {
  const { maxAgeMs: _maxAge, ...withoutReuse } = settings;
  // A stored list has old links: `relist` pays for fresh ones.
  const listing = settings.relist ? withoutReuse : settings;
  return readCaseDocuments(flow, {
    settings: { ...listing, documents: true, download: false, relist: false },
    refreshedAtMs: 0,
    from: from.documents,
    inNewRun: (documents) => inNewRun({ documents }),
  });
}
