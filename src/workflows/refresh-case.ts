/**
 * `refreshCase`: (fresh enough? done) → POST solicitar-atualizacao → wait → with `documents`: documents list →
 * with `download`: files. The list of charged calls is known before it starts: one refresh and at most `maxPages` list pages
 * (plus at most as many again with `relist`). Many pages go on in a new run.
 */
import { log } from '@temporalio/workflow';
import { isJsonObject } from '../contract/json.js';
import { formatCnj, present } from '../contract/values/index.js';
import { FLOWS, type FlowSettings, type RefreshCaseResult, type RefreshReading } from '../protocol/index.js';
import { checkAccount } from './flow/account.js';
import { NO_DOCUMENTS, readCaseDocuments } from './parts/case-documents.js';
import { readDocumentsPlace, type DocumentsPlace } from './parts/documents-place.js';
import { runChargedStep } from './step/charged-step.js';
import { readCarried } from './flow/carried.js';
import { fitResult } from './flow/fit-result.js';
import { readBook, type Book } from './flow/flow-record.js';
import { openFlow, type Flow } from './flow/flow.js';
import { continueInNewRun } from './flow/next-run.js';
import { readInput } from './flow/read-input.js';

/** The refresh that a run hands on with the place in its documents. */
interface Refreshed {
  readonly reading: RefreshReading;
  readonly reused: boolean;
}

export async function refreshCase(input: unknown, ...more: unknown[]): Promise<RefreshCaseResult> {
  const settings = readInput(FLOWS.refreshCase.parse, input);
  const carried = readCarried(input, more, parseCarried);
  const flow = openFlow({
    type: 'refreshCase',
    settings,
    caseAttribute: settings.cnj,
    label: formatCnj(settings.cnj),
    ...(carried === undefined ? {} : { book: carried.book }),
  });
  if (!settings.courtKnown) log.warn('the case number is well-formed, but its court is not in the table');
  await checkAccount(flow, settings.cnj);

  const refreshed = carried?.refreshed ?? (await refreshOnce(flow, settings));
  const { reading, reused } = refreshed;
  const listed = settings.documents
    ? await readCaseDocuments(flow, {
        ...{ settings, refreshedAtMs: reading.finishedAtMs, from: carried?.documents },
        inNewRun: (documents) => continueInNewRun(flow, input, { refreshed, documents }),
      })
    : NO_DOCUMENTS;

  flow.enter({ state: 'done' });
  return fitResult<RefreshCaseResult>({
    cnj: settings.cnj,
    status: 'done',
    rawStatus: reading.rawStatus,
    refreshedAt: new Date(reading.serviceTimeMs ?? reading.finishedAtMs).toISOString(),
    reused,
    ...listed,
    spent: flow.spent(),
    receipts: flow.receipts(),
  });
}

async function refreshOnce(flow: Flow, settings: FlowSettings<'refreshCase'>): Promise<Refreshed> {
  const refresh = await runChargedStep(flow, {
    step: 'requestRefresh',
    operation: 'requestRefresh',
    params: { cnj: settings.cnj },
    flags: settings.documents ? ['documents'] : [],
    title: 'POST refresh',
    ...present({ maxAgeMs: settings.maxAgeMs }),
  });
  const reading = refresh.reading as unknown as RefreshReading;
  const { state, rawStatus } = reading;
  if (state === 'done') return { reading, reused: refresh.reused };
  throw flow.fail(
    'RefreshFailed',
    `the refresh of ${flow.label()} ended ${state === 'empty' ? 'empty: the court shows no such case' : 'failed'} (status ${rawStatus ?? 'not told'}). It is paid; start again later if the court was down`,
    { operation: 'requestRefresh', facts: refresh },
  );
}

function parseCarried(
  value: unknown,
): { readonly refreshed: Refreshed; readonly documents: DocumentsPlace; readonly book: Book } | undefined {
  if (!isJsonObject(value) || !isJsonObject(value['refreshed'])) return undefined;
  const { reading, reused } = value['refreshed'];
  const documents = readDocumentsPlace(value['documents']);
  const book = readBook(value['book']);
  if (documents === undefined || book === undefined || typeof reused !== 'boolean' || !isReading(reading))
    return undefined;
  return { refreshed: { reading, reused }, documents, book };
}

function isReading(value: unknown): value is RefreshReading {
  if (!isJsonObject(value) || value['state'] !== 'done' || !isInstant(value['finishedAtMs'])) return false;
  const { rawStatus, serviceTimeMs } = value;
  return (rawStatus === null || typeof rawStatus === 'string') && (serviceTimeMs === null || isInstant(serviceTimeMs));
}

/** `toISOString` throws on anything else. */
function isInstant(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(new Date(value).getTime());
}
