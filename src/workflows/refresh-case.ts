/**
 * `refreshCase` (design 11): (fresh enough? done) → POST solicitar-atualizacao → wait → with `documents`: documents list →
 * with `download`: files. The list of charged calls is known before it starts: one refresh and at most `maxPages` list pages
 * (plus at most as many again with `relist`).
 */
import { log } from '@temporalio/workflow';
import { formatCnj } from '../contract/values/index.js';
import type { RefreshCaseResult, RefreshCaseSettings, RefreshReading } from '../protocol/index.js';
import { parseRefreshCaseInput } from '../protocol/index.js';
import { checkAccount } from './flow/account.js';
import { NO_DOCUMENTS, readCaseDocuments } from './parts/case-documents.js';
import { runChargedStep, type DoneCall } from './step/charged-step.js';
import { fitResult } from './flow/fit-result.js';
import { openFlow, type Flow } from './flow/flow.js';
import { readInput } from './flow/read-input.js';

export async function refreshCase(input: unknown): Promise<RefreshCaseResult> {
  const settings = readInput(parseRefreshCaseInput, input);
  const flow = openFlow({
    type: 'refreshCase',
    settings,
    caseAttribute: settings.cnj,
    label: formatCnj(settings.cnj),
  });
  if (!settings.courtKnown) log.warn('the case number is well-formed, but its court is not in the table');
  await checkAccount(flow, settings.cnj);

  const refresh = await refreshOnce(flow, settings);
  const reading = refresh.reading as unknown as RefreshReading;
  const listed = settings.documents ? await readCaseDocuments(flow, settings, reading.finishedAtMs) : NO_DOCUMENTS;

  flow.enter({ state: 'done' });
  return fitResult<RefreshCaseResult>({
    cnj: settings.cnj,
    status: 'done',
    rawStatus: reading.rawStatus,
    refreshedAt: new Date(reading.serviceTimeMs ?? reading.finishedAtMs).toISOString(),
    reused: refresh.reused,
    ...listed,
    spent: flow.spent(),
    receipts: flow.receipts(),
  });
}

async function refreshOnce(flow: Flow, settings: RefreshCaseSettings): Promise<DoneCall> {
  const refresh = await runChargedStep(flow, {
    step: 'requestRefresh',
    operation: 'requestRefresh',
    params: { cnj: settings.cnj },
    flags: settings.documents ? ['documents'] : [],
    title: 'POST refresh',
    ...(settings.maxAgeMs === undefined ? {} : { maxAgeMs: settings.maxAgeMs }),
  });
  const { state, rawStatus } = refresh.reading as unknown as RefreshReading;
  if (state === 'done') return refresh;
  throw flow.fail(
    'RefreshFailed',
    `the refresh of ${flow.label()} ended ${state === 'empty' ? 'empty: the court shows no such case' : 'failed'} (status ${rawStatus ?? 'not told'}). It is paid; start again later if the court was down`,
    { operation: 'requestRefresh', facts: refresh },
  );
}
