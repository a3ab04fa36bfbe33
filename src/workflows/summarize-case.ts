/**
 * `summarizeCase`: POST → wait → read. Both calls cost money. If a read says "not ready", the flow parks, and `resume` buys one
 * more; if it says "failed", the flow fails. The path of the read is a setting (`gaps.summaryPath`).
 */
import type { ApplicationFailure } from '@temporalio/common';
import { patched } from '@temporalio/workflow';
import { formatDuration, GIVE_UP_AFTER_MS, present } from '../contract/values/index.js';
import { FLOWS, type FlowSettings, type SummarizeCaseResult, type SummaryReading } from '../protocol/index.js';
import { beginFlow } from './flow/begin-flow.js';
import { defineFlow } from './flow/define-flow.js';
import { runChargedStep, type DoneCall } from './step/charged-step.js';
import { freeCalls } from './flow/calls.js';
import { stepOfFlow, type Flow } from './flow/flow.js';
import { readInput } from './flow/read-input.js';
import { startAgain } from './step/decide-rejection.js';

type SummaryCall = DoneCall<SummaryReading>;

export const summarizeCase = defineFlow('summarizeCase', async (input, ...more): Promise<SummarizeCaseResult> => {
  const settings = readInput(FLOWS.summarizeCase.parse, input, more);
  const { cnj } = settings;
  const flow = await beginFlow({ type: 'summarizeCase', settings, cnj });

  const request = await requestSummary(flow, settings);
  const read = await readUntilReady(flow, settings, request);
  const { record, updatedAtMs } = read.reading;
  return {
    cnj,
    status: 'done',
    summary: record ?? null,
    ...(updatedAtMs === null ? {} : { updatedAt: new Date(updatedAtMs).toISOString() }),
    reused: request.reused && read.reused,
    ...(record === undefined ? { truncated: true } : {}),
    ...flow.end(),
  };
});

async function requestSummary(flow: Flow, { cnj, maxAgeMs }: FlowSettings<'summarizeCase'>): Promise<SummaryCall> {
  const request = await runChargedStep(flow, {
    step: 'requestSummary',
    operation: 'requestSummary',
    title: 'POST summary',
    params: { cnj },
    flags: [],
    view: 'summary',
    ...present({ maxAgeMs }),
  });
  if (hasFailed(request)) throw summaryFailed(flow, 'requestSummary', request);
  return request;
}

function hasFailed({ reading: { state } }: SummaryCall): boolean {
  return state === 'empty' || state === 'failed';
}

function summaryFailed(flow: Flow, operation: string, facts: SummaryCall): ApplicationFailure {
  const { state, rawStatus } = facts.reading;
  return flow.fail(
    'RefreshFailed',
    `the summary of ${flow.label()} ended ${state} (status ${rawStatus ?? 'not given'}). It is paid. Wait, then ${startAgain(flow.settings)}`,
    { operation, facts },
  );
}

async function readUntilReady(
  flow: Flow,
  settings: FlowSettings<'summarizeCase'>,
  request: SummaryCall,
): Promise<SummaryCall> {
  const { cnj, maxAgeMs } = settings;
  const madeAtMs = request.settledAtMs ?? Date.now();
  for (let read = 1; ; read += 1) {
    const step = read === 1 ? 'getSummary' : `getSummary/${read}`;
    const done = await runChargedStep(flow, {
      step,
      operation: 'getSummary',
      title: 'GET summary',
      params: { cnj },
      flags: [],
      view: 'summary',
      refusalMeansNotReady: true,
      // The first read may reuse an answer from after the summary was made; a further one reuses none: they showed nothing.
      ...(read > 1
        ? { notBeforeMs: Date.now() }
        : { notBeforeMs: madeAtMs, sentNotBeforeMs: madeAtMs, ...present({ maxAgeMs }) }),
    });
    flow.count({ reads: read });
    const { ready, rawStatus } = done.reading;
    if (ready) return done;
    if (hasFailed(done) && patched('failed-read-ends-its-summary')) throw summaryFailed(flow, 'getSummary', done);
    const isBought = await isBoughtAlready(flow, `getSummary/${read + 1}`);
    if (!isBought) await parkNotReady(flow, { step, rawStatus });
  }
}

/** True if the next read was allowed by a person, and may be paid, before: in this run before a reset, or under its `once`. */
async function isBoughtAlready(flow: Flow, step: string): Promise<boolean> {
  return patched('bought-reads-are-taken') && freeCalls('look up the next read').mayBePaid(stepOfFlow(flow, step));
}

/** Another read costs money: no event and no timer may cause one, only a person. */
async function parkNotReady(
  flow: Flow,
  { step, rawStatus }: { readonly step: string; readonly rawStatus: string | null },
): Promise<void> {
  const story = `the summary was read, and paid, but has no text yet (status ${rawStatus ?? 'not given'})`;
  await flow.parkUntilVerdict({
    attention: 'stalled',
    waitingFor: 'a person to buy another read of the summary',
    accepts: ['resume'],
    note: { step, story: `${story}.`, choices: ['`resume`: read once more; it costs again'] },
    givesUp: {
      type: 'PendingTooLong',
      operation: 'getSummary',
      message: `${story}, and nobody resumed the flow in ${formatDuration(GIVE_UP_AFTER_MS)}. Read the summary later with readCase`,
    },
  });
}
