/**
 * `refreshCase`: POST solicitar-atualizacao, unless `maxAge` allows reuse → wait → with `documents`: list them → with
 * `download`: fetch their files. Charged calls: one refresh and at most `maxPages` list pages (plus at most as many again with
 * `relist`). A long history continues as new.
 */
import { present } from '../contract/values/index.js';
import { FLOWS, type FlowSettings, type RefreshCaseResult, type RefreshReading } from '../protocol/index.js';
import { beginFlow } from './flow/begin-flow.js';
import { defineFlow } from './flow/define-flow.js';
import { NO_DOCUMENTS, readCaseDocuments } from './parts/case-documents.js';
import { isDocumentsPlace, type DocumentsPlace } from './parts/documents-place.js';
import { runChargedStep } from './step/charged-step.js';
import { readCarried } from './flow/carried.js';
import { fitLists } from './flow/fit-result.js';
import type { Flow } from './flow/flow.js';
import { continueInNewRun } from './flow/next-run.js';
import { readInput } from './flow/read-input.js';
import { startAgain } from './step/decide-rejection.js';
import { either, isFlag, isNull, isNumber, isText, only, shapeOf, where } from './flow/shape.js';

/** The finished refresh, which a run hands on together with its place in the documents. */
interface Refreshed {
  readonly reading: RefreshReading;
  readonly reused: boolean;
}

/** `toISOString` throws on anything else. */
const isInstant = where(isNumber, (ms) => Number.isFinite(new Date(ms).getTime()));

const isPlace = shapeOf<{ readonly refreshed: Refreshed; readonly documents: DocumentsPlace }>({
  refreshed: shapeOf<Refreshed>({
    reading: shapeOf<RefreshReading>({
      state: only('done'),
      rawStatus: either(isText, isNull),
      finishedAtMs: isInstant,
      serviceTimeMs: either(isInstant, isNull),
    }),
    reused: isFlag,
  }),
  documents: isDocumentsPlace,
});

export const refreshCase = defineFlow('refreshCase', async (input, ...more): Promise<RefreshCaseResult> => {
  const settings = readInput(FLOWS.refreshCase.parse, input);
  const carried = readCarried(input, more, isPlace);
  const flow = await beginFlow({ type: 'refreshCase', settings, cnj: settings.cnj, book: carried?.book });

  const refreshed = carried?.refreshed ?? (await refreshOnce(flow, settings));
  const { reading, reused } = refreshed;
  const listed = settings.documents
    ? await readCaseDocuments(flow, {
        settings,
        refreshedAtMs: reading.finishedAtMs,
        from: carried?.documents,
        inNewRun: (documents) => continueInNewRun(flow, input, { refreshed, documents }),
      })
    : NO_DOCUMENTS;

  const result: RefreshCaseResult = {
    cnj: settings.cnj,
    status: 'done',
    rawStatus: reading.rawStatus,
    refreshedAt: new Date(reading.serviceTimeMs ?? reading.finishedAtMs).toISOString(),
    reused,
    ...listed,
    ...flow.end(),
  };
  return fitLists(result, ['documents']);
});

async function refreshOnce(flow: Flow, settings: FlowSettings<'refreshCase'>): Promise<Refreshed> {
  const refresh = await runChargedStep(flow, {
    step: 'requestRefresh',
    operation: 'requestRefresh',
    params: { cnj: settings.cnj },
    flags: settings.documents ? ['documents'] : [],
    title: 'POST refresh',
    ...present({ maxAgeMs: settings.maxAgeMs }),
  });
  const { reading } = refresh;
  const { state, rawStatus } = reading;
  if (state === 'done') return { reading, reused: refresh.reused };
  throw flow.fail(
    'RefreshFailed',
    `the refresh of ${flow.label()} ended ${state === 'empty' ? 'empty: the court shows no such case' : 'failed'} (status ${rawStatus ?? 'not given'}). It is paid. If the court was down, wait, then ${startAgain(flow.settings)}`,
    { operation: 'requestRefresh', facts: refresh },
  );
}
