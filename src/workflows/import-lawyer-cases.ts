/**
 * `importLawyerCases`: buy page 1 → (partial, or the list changed: wait, buy it again) → stage further pages → commit. Charged
 * calls: page 1, at most `maxPaidChecks` times, restarts included; the rest is free. A complete page 1 is page 1 of the import.
 */
import { present } from '../contract/values/index.js';
import { patched, uuid4, workflowInfo } from '@temporalio/workflow';
import {
  FLOWS,
  type ImportEnd,
  type ImportLawyerCasesResult,
  type FlowSettings,
  type LawyerCursor,
  type LawyerPageReading,
  type ReadLawyerPagesResult,
} from '../protocol/index.js';
import { beginFlow } from './flow/begin-flow.js';
import { defineFlow } from './flow/define-flow.js';
import { chunkCalls, freeCalls, localCalls } from './flow/calls.js';
import { runChargedStep } from './step/charged-step.js';
import { SEARCH_EVENT } from './parts/decide-recheck.js';
import { readCarried } from './flow/carried.js';
import { continueInNewRun } from './flow/next-run.js';
import { pickImport, isImportOf, restart, type Import, type Reading, type Staging } from './parts/import-state.js';
import { afterListChanged, parkOnRefusal, parkStalled, show, waitForCoverage } from './parts/import-waits.js';
import type { Flow } from './flow/flow.js';
import { readInput } from './flow/read-input.js';

/** An earlier run under the same `once`, or the run before a reset, has finished this import. */
interface Ended {
  readonly ended: ImportEnd;
}

/** Pages that one run stages before it continues as new; never with a charged call in flight. */
const PAGES_PER_RUN = 500;

export const importLawyerCases = defineFlow(
  'importLawyerCases',
  async (input, ...more): Promise<ImportLawyerCasesResult> => {
    const settings = readInput(FLOWS.importLawyerCases.parse, input);
    const carried = readCarried(input, more, isImportOf(settings));
    const flow = await beginFlow({
      type: 'importLawyerCases',
      settings,
      label: 'cases of a lawyer',
      book: carried?.book,
    });
    let state: Import = carried === undefined ? newImport(settings) : pickImport(carried);
    for (let pagesOfRun = 0; ;) {
      const { staging } = state;
      show(flow, state);
      if (staging === undefined) {
        const bought = await buyFirstPage(flow, settings, state);
        if ('ended' in bought) return endAs(flow, bought.ended);
        state = bought;
      } else if (staging.cursor === null) {
        const result = await commit(flow, settings, { ...state, staging });
        if (result === 'read again') state = await afterListChanged(flow, restart(state));
        else if (result !== undefined) return result;
        else state = restart(await parkStalled(flow, state, 'pages that were read were lost with the database'));
      } else if (pagesOfRun >= PAGES_PER_RUN) {
        return continueInNewRun(flow, input, state);
      } else {
        const read = await readChunk(flow, settings, { ...state, staging: { ...staging, cursor: staging.cursor } });
        if ('ended' in read) return endAs(flow, read.ended);
        state = read;
        pagesOfRun += Math.max(1, (state.staging?.pages ?? staging.pages) - staging.pages);
      }
    }
  },
);

function newImport({ maxPaidChecks }: FlowSettings<'importLawyerCases'>): Import {
  return { paidChecks: 0, allowed: maxPaidChecks, restarts: 0, lastPurchaseMs: 0, provisionalSet: uuid4() };
}

/** Buys page 1. A complete one begins the staging; a partial one is stored as provisional, and the flow waits. */
async function buyFirstPage(
  flow: Flow,
  settings: FlowSettings<'importLawyerCases'>,
  before: Import,
): Promise<Import | Ended> {
  const { account, oab, pageSize, maxAgeMs } = settings;
  const state = before.paidChecks < before.allowed ? before : await parkStalled(flow, before, usedUp(before));
  const params = await localCalls().describeLawyer({ oab, ...present({ pageSize }) });
  const number = state.paidChecks + 1;
  const call = await runChargedStep(flow, {
    step: `listLawyerCases/${number}`,
    operation: 'listLawyerCases',
    params,
    view: 'lawyerPage',
    flags: [],
    title: `GET cases page 1 (check ${number} of ${state.allowed})`,
    ...(maxAgeMs === undefined || number > 1 ? {} : { maxAgeMs }),
    ...(number > 1 ? { notBeforeMs: state.lastPurchaseMs } : {}),
  });
  const eventsAtAnswer = flow.eventsOf(SEARCH_EVENT);
  const { complete, version, next, available, items: firstPageItems } = call.reading;
  const paid: Import = { ...state, paidChecks: number, lastPurchaseMs: Date.now() };
  const setId = complete ? uuid4() : state.provisionalSet;
  const { withoutNumber, lost, ended } = await freeCalls('store page 1').saveFirstPage({
    account,
    oab,
    setId,
    complete,
    workflowId: flow.workflowId,
    intentId: call.intentId ?? '',
    ...present({ start: mayHaveEnded(flow) ? startOf(flow) : undefined }),
  });
  if (ended !== undefined) return { ended };
  if (lost === true) return parkStalled(flow, paid, 'page 1 was paid, and its answer was lost with the database');
  if (withoutNumber > 0) flow.count({ casesWithoutNumber: withoutNumber });
  if (complete) {
    if (next.kind === 'refused') {
      const { problem = 'the next link cannot be followed' } = next;
      return restart(await parkStalled(flow, paid, `page 1 leads to no page 2: ${problem}`));
    }
    const staging = { setId, version, pages: 1, cursor: firstCursor(next), firstPageItems, ...present({ available }) };
    return { ...paid, staging };
  }
  if (paid.paidChecks < paid.allowed) await waitForCoverage(flow, paid, { eventsAtAnswer });
  return paid;
}

function usedUp({ paidChecks, restarts }: Import): string {
  const bought = `page 1 was bought as often as allowed (${paidChecks})`;
  return restarts === 0
    ? bought
    : `${bought}, and the list was started again (restarts: ${restarts}), because it changed (a later page had another cobertura.atualizadoEm, or said that the list is partial) or could not be read to its end`;
}

function firstCursor(next: LawyerPageReading['next']): LawyerCursor | null {
  if (next.kind === 'link') return { page: 2, target: next.target };
  return next.kind === 'page' ? { page: next.page, target: null } : null;
}

async function readChunk(
  flow: Flow,
  { account, oab, pageSize }: FlowSettings<'importLawyerCases'>,
  state: Reading,
): Promise<Import | Ended> {
  const { setId, version, cursor, pages: before } = state.staging;
  flow.enter({ state: 'reading', waitingFor: `free pages from ${cursor.page} on` });
  const params = await localCalls().describeLawyer({ oab, ...present({ pageSize }) });
  const result = await chunkCalls(`read pages from ${cursor.page}`).readLawyerPages({
    account,
    params,
    setId,
    version,
    cursor,
    reader: { workflowId: flow.workflowId, firstRunId: flow.firstRunId, workflowType: flow.type },
    start: startOf(flow),
  });
  const advancedTo = (next: LawyerCursor | null): Import => ({
    ...state,
    staging: { ...state.staging, pages: before + result.pages, cursor: next },
  });
  // Anything but a refusal of the first page of this chunk shows that the service accepts the key.
  if (result.kind !== 'refused' || result.pages > 0) flow.recover();
  switch (result.kind) {
    case 'more':
      return advancedTo(result.cursor);
    case 'end':
      return advancedTo(null);
    case 'version moved':
      if (result.ended !== undefined) return { ended: result.ended };
      return afterListChanged(flow, restart(state));
    case 'elsewhere':
      return restart(await parkStalled(flow, state, `the link of page ${result.page} leads outside the list`));
    case 'loop':
      return restart(await parkStalled(flow, state, `the list repeats itself at page ${result.page}`));
    case 'charged':
      return afterCharge(flow, state, { charge: result, advancedTo });
    case 'refused':
      return parkOnRefusal(flow, state, { page: cursor.page + result.pages, status: result.status });
  }
}

type ChargedPage = Extract<ReadLawyerPagesResult, { readonly kind: 'charged' }>;

/** A charged page that could be read is staged: neither it nor a page before it is read again. */
async function afterCharge(
  flow: Flow,
  state: Reading,
  { charge, advancedTo }: { readonly charge: ChargedPage; readonly advancedTo: (next: LawyerCursor | null) => Import },
): Promise<Import> {
  const { unexpected, cursor } = charge;
  flow.inform(unexpected);
  // A worker from before this patch, which may have taken the result, knows neither of them.
  const saysMore = (charge.at ?? charge.isStuck) !== undefined && patched('charged-pages-say-where');
  const { at, isStuck } = saysMore ? charge : ({} as Partial<ChargedPage>);
  const story = `a page that should be free was charged ${unexpected.amount}`;
  if (isStuck === true)
    return restart(await parkStalled(flow, state, `${story}, and the list cannot be read on from it`));
  if (cursor !== undefined) {
    const choice = '`resume`: continue with the pages after it; they may be charged as well';
    return parkStalled(flow, advancedTo(cursor), story, choice);
  }
  const choice = '`resume`: ask for that page again; it may be charged again';
  return parkStalled(flow, at === undefined ? state : advancedTo(at), story, choice);
}

/**
 * Undefined if staged pages are missing from the database. A doubtful list is read again once, if page 1 may be bought once more;
 * then it is committed as it is: a service whose counts never match must not make the import impossible.
 */
async function commit(
  flow: Flow,
  { account, oab, maxAgeMs }: FlowSettings<'importLawyerCases'>,
  { staging, restarts, paidChecks, allowed }: Import & { readonly staging: Staging },
): Promise<ImportLawyerCasesResult | 'read again' | undefined> {
  const { setId, version, pages, available, firstPageItems } = staging;
  const mayDoubt = restarts === 0 && paidChecks < allowed && firstPageItems !== undefined;
  const doubts = mayDoubt ? { firstPageItems, mayBeOld: maxAgeMs !== undefined && paidChecks === 1 } : undefined;
  const counts = { restarts, paidChecks, ...present({ available }) };
  const committed = await freeCalls('make the new list visible').commitImport({
    account,
    oab,
    setId,
    version,
    pages,
    ...present({ doubts }),
    end: { start: startOf(flow), ...counts },
  });
  if (typeof committed !== 'number' && committed.readAgain === true) return 'read again';
  const ended = typeof committed === 'number' ? { version, cases: committed, pages, ...counts } : committed.ended;
  return ended === undefined ? undefined : endAs(flow, ended);
}

/** Only a start under the same `once`, or the run before a reset, can have finished this import before. */
function mayHaveEnded({ settings: { once }, firstRunId }: Flow): boolean {
  return once !== undefined || workflowInfo().runId !== firstRunId;
}

/** The key by which a later start, or a run after a reset, finds that this import has ended. */
function startOf({ settings: { once }, firstRunId }: Flow): string | { readonly firstRunId: string } {
  return once ?? { firstRunId };
}

/** The result of an import that this run, or an earlier one, has finished. */
function endAs(flow: Flow, { available = 0, ...end }: ImportEnd): ImportLawyerCasesResult {
  const { cases, pages, restarts, paidChecks } = end;
  const missing = present({ missing: available > cases ? available - cases : undefined });
  flow.count({ cases, pages, restarts, paidChecks, ...missing });
  return { ...end, ...missing, ...flow.end() };
}
