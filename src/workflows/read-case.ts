/**
 * `readCase`: what `include` names of one case, each a charged call of its own, and nothing else. Documents only after their
 * refresh; movements and documents up to `maxPages` pages each.
 */
import { log } from '@temporalio/workflow';
import { formatCnj } from '../contract/values/index.js';
import type { JsonObject } from '../contract/json.js';
import type { MovementsReading, ReadCaseResult, ReadCaseSettings } from '../protocol/index.js';
import { parseReadCaseInput } from '../protocol/index.js';
import { checkAccount } from './flow/account.js';
import { readCaseDocuments } from './parts/case-documents.js';
import { runChargedStep } from './step/charged-step.js';
import { describe } from './parts/described-call.js';
import { checkDocumentsRefreshed } from './parts/documents-guard.js';
import { fitLists } from './flow/fit-result.js';
import { openFlow, type Flow } from './flow/flow.js';
import { readInput } from './flow/read-input.js';
import { walkPages } from './parts/walk-pages.js';

type Part = Omit<ReadCaseResult, 'cnj' | 'spent' | 'receipts'>;

const READERS: Readonly<
  Record<ReadCaseSettings['include'][number], (flow: Flow, settings: ReadCaseSettings) => Promise<Part>>
> = {
  cover: readCover,
  movements: readMovements,
  documents: readDocuments,
  summary: readSummary,
};

export async function readCase(input: unknown): Promise<ReadCaseResult> {
  const settings = readInput(parseReadCaseInput, input);
  const { cnj, include } = settings;
  const flow = openFlow({ type: 'readCase', settings, caseAttribute: cnj, label: formatCnj(cnj) });
  if (!settings.courtKnown) log.warn('the case number is well-formed, but its court is not in the table');
  await checkAccount(flow, cnj);
  if (include.includes('documents')) await checkDocumentsRefreshed(flow, cnj);

  let parts: Part = {};
  for (const part of include) parts = merge(parts, await READERS[part](flow, settings));
  flow.enter({ state: 'done' });
  return fitLists({ cnj, ...parts, spent: flow.spent(), receipts: flow.receipts() }, ['movements', 'documents']);
}

function merge(left: Part, right: Part): Part {
  return { ...left, ...right, ...(left.truncated === true ? { truncated: true } : {}) };
}

async function readCover(flow: Flow, settings: ReadCaseSettings): Promise<Part> {
  const cover = await readRecord(flow, settings, { operation: 'getCase', title: 'GET case' });
  return cover === undefined ? { truncated: true } : { cover };
}

async function readSummary(flow: Flow, settings: ReadCaseSettings): Promise<Part> {
  const summary = await readRecord(flow, settings, { operation: 'getSummary', title: 'GET summary' });
  return summary === undefined ? { truncated: true } : { summary };
}

/** Undefined where the record is larger than an answer may be that travels: it is in the database. */
async function readRecord(
  flow: Flow,
  { cnj, maxAgeMs }: ReadCaseSettings,
  { operation, title }: { readonly operation: string; readonly title: string },
): Promise<JsonObject | undefined> {
  const done = await runChargedStep(flow, {
    ...{ step: operation, operation, title, params: { cnj }, flags: [], view: 'record' },
    ...(maxAgeMs === undefined ? {} : { maxAgeMs }),
  });
  return (done.reading as { readonly record?: JsonObject }).record;
}

async function readMovements(flow: Flow, settings: ReadCaseSettings): Promise<Part> {
  const { cnj, maxPages, maxAgeMs } = settings;
  const call = await describe(flow, { operation: 'listMovements', params: { cnj } });
  const read: MovementsReading[] = [];
  const end = await walkPages(flow, {
    ...{ call, maxPages, step: 'listMovements', view: 'movements' },
    reuse: maxAgeMs === undefined ? {} : { maxAgeMs },
    onPage: (reading, { pages, items }) => {
      read.push(reading as MovementsReading);
      flow.count('movementPages', pages);
      flow.count('movements', items);
    },
  });
  return {
    movements: read.flatMap(({ movements }) => movements),
    movementCount: Math.max(end.total ?? 0, end.items),
    moreMovements: !end.complete,
    ...(read.some(({ cut }) => cut) ? { truncated: true } : {}),
  };
}

function readDocuments(flow: Flow, settings: ReadCaseSettings): Promise<Part> {
  const { maxAgeMs: _reuse, ...anew } = settings;
  // A stored list has old links: `relist` pays for fresh ones.
  const listing = settings.relist ? anew : settings;
  return readCaseDocuments(flow, { ...listing, documents: true, download: false, relist: false }, 0);
}
