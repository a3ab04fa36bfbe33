/**
 * `summarizeCase`: POST → wait → read. Both calls cost money; a read that says "not ready" is not bought again by
 * itself: the flow parks, and `resume` buys one more. The path of the read is a setting (`gaps.summaryPath`).
 */
import { log } from '@temporalio/workflow';
import { formatCnj, formatDuration, present, GIVE_UP_AFTER_MS } from '../contract/values/index.js';
import type { SummarizeCaseResult, SummarizeCaseSettings, SummaryReading } from '../protocol/index.js';
import { parseSummarizeCaseInput } from '../protocol/index.js';
import { checkAccount } from './flow/account.js';
import { runChargedStep, type DoneCall } from './step/charged-step.js';
import { openFlow, type Flow } from './flow/flow.js';
import { readInput } from './flow/read-input.js';

export async function summarizeCase(input: unknown, ...more: unknown[]): Promise<SummarizeCaseResult> {
  const settings = readInput(parseSummarizeCaseInput, input, more);
  const { cnj } = settings;
  const flow = openFlow({ type: 'summarizeCase', settings, caseAttribute: cnj, label: formatCnj(cnj) });
  if (!settings.courtKnown) log.warn('the case number is well-formed, but its court is not in the table');
  await checkAccount(flow, cnj);

  const request = await requestOnce(flow, settings);
  const read = await readUntilReady(flow, settings, request);
  const { record, updatedAtMs } = read.reading as unknown as SummaryReading;
  flow.enter({ state: 'done' });
  return {
    cnj,
    status: 'done',
    summary: record ?? null,
    ...(updatedAtMs === null ? {} : { updatedAt: new Date(updatedAtMs).toISOString() }),
    reused: request.reused && read.reused,
    ...(record === undefined ? { truncated: true } : {}),
    spent: flow.spent(),
    receipts: flow.receipts(),
  };
}

async function requestOnce(flow: Flow, { cnj, maxAgeMs }: SummarizeCaseSettings): Promise<DoneCall> {
  const request = await runChargedStep(flow, {
    ...{ step: 'requestSummary', operation: 'requestSummary', title: 'POST summary' },
    ...{ params: { cnj }, flags: [], view: 'summary' },
    ...present({ maxAgeMs }),
  });
  const { state, rawStatus } = request.reading as unknown as SummaryReading;
  if (state === 'done' || state === 'running') return request;
  throw flow.fail(
    'RefreshFailed',
    `the summary of ${flow.label()} ended ${state} (status ${rawStatus ?? 'not told'}). It is paid; start again later`,
    { operation: 'requestSummary', facts: request },
  );
}

async function readUntilReady(flow: Flow, settings: SummarizeCaseSettings, request: DoneCall): Promise<DoneCall> {
  const { cnj, maxAgeMs } = settings;
  for (let read = 1; ; read += 1) {
    const step = read === 1 ? 'getSummary' : `getSummary/${read}`;
    const done = await runChargedStep(flow, {
      ...{ step, operation: 'getSummary', title: 'GET summary', params: { cnj }, flags: [], view: 'summary' },
      refusalMeansNotReady: true,
      // Only what was read after this summary was made shows it, and a read that showed nothing is no answer.
      notBeforeMs: read > 1 ? Date.now() : (request.settledAtMs ?? Date.now()),
      ...(maxAgeMs === undefined || read > 1 ? {} : { maxAgeMs }),
    });
    flow.count('reads', read);
    const { ready, rawStatus } = done.reading as unknown as SummaryReading;
    if (ready) return done;
    await parkNotReady(flow, { step, rawStatus });
  }
}

/** Another read costs money: no event and no timer may cause one, only a person. */
async function parkNotReady(
  flow: Flow,
  { step, rawStatus }: { readonly step: string; readonly rawStatus: string | null },
): Promise<void> {
  const story = `the summary was read, and paid, but has no text yet (status ${rawStatus ?? 'not told'})`;
  const verdict = await flow.parkUntilVerdict({
    attention: 'stalled',
    waitingFor: 'a person to buy another read of the summary',
    accepts: ['resume'],
    giveUpAfterMs: GIVE_UP_AFTER_MS,
    note: { step, story: `${story}.`, choices: ['`resume`: read once more; it costs again'] },
  });
  if (verdict.by !== 'giving up') return;
  throw flow.fail(
    'PendingTooLong',
    `${story}, for ${formatDuration(GIVE_UP_AFTER_MS)}. Start readCase when it is there`,
    {
      operation: 'getSummary',
    },
  );
}
