/**
 * `awaitRequest`: waits for the answer of pending work by its request id. If our ledger has a row for the work, that row is
 * polled and settled. Work bought elsewhere is polled by a free `getRequest` step; its cost is booked where it was bought.
 */
import type { ApplicationFailure } from '@temporalio/common';
import { isJsonObject } from '../contract/json.js';
import { errorCodeIn, present } from '../contract/values/index.js';
import {
  FLOWS,
  type BodyReading,
  type CallOperationResult,
  type CallOutcome,
  type FailureType,
  type FoundRequest,
} from '../protocol/index.js';
import { beginFlow } from './flow/begin-flow.js';
import { defineFlow } from './flow/define-flow.js';
import { answerResult } from './parts/answer-result.js';
import { waitForFinal } from './step/await-final.js';
import { freeCalls } from './flow/calls.js';
import { runChargedStep, type DoneCall } from './step/charged-step.js';
import { failureOfRefusal, reasonSuffix } from './step/decide-rejection.js';
import type { Flow } from './flow/flow.js';
import { readInput } from './flow/read-input.js';
import { conclude, newStepRun } from './step/step-run.js';

type KnownRequest = Extract<FoundRequest, { readonly known: true }>;

export const awaitRequest = defineFlow('awaitRequest', async (input, ...more): Promise<CallOperationResult> => {
  const settings = readInput(FLOWS.awaitRequest.parse, input, more);
  const { account, requestId } = settings;
  const flow = await beginFlow({ type: 'awaitRequest', settings, label: `request ${requestId}` });
  const found = await freeCalls('look up the request').findRequest({ account, requestId });
  const done = found.known
    ? await waitForOurs(flow, requestId, found)
    : await runChargedStep(flow, {
        step: 'getRequest',
        operation: 'getRequest',
        title: 'GET request',
        params: { requestId },
        flags: [],
        view: 'body',
      });
  if (!found.known && (done.status ?? 0) >= 400) throw endedBadly(flow, requestId, done);
  return answerResult(flow, 'getRequest', done);
});

/** The failure for work that was bought elsewhere and ended in an error: asking again would return the same error. */
function endedBadly(flow: Flow, requestId: string, done: DoneCall<BodyReading>): ApplicationFailure {
  const { body } = done.reading;
  const error = isJsonObject(body) ? body['error'] : undefined;
  const code = isJsonObject(error) ? error['code'] : undefined;
  const errorCode = errorCodeIn(typeof code === 'string' ? code : undefined);
  const facts = { ...done, ...present({ errorCode }) };
  return flow.fail(
    'Rejected',
    `request ${requestId} ended with HTTP ${done.status ?? '?'}${reasonSuffix(facts)}. The call is not in this ledger, and neither is its cost`,
    { operation: 'getRequest', facts },
  );
}

/** Polls and settles the row of the flow that made the call; this flow is charged nothing. */
async function waitForOurs(flow: Flow, requestId: string, found: KnownRequest): Promise<DoneCall<BodyReading>> {
  const { intentId, operation, cnj, openedAtMs, workflowId, file } = found;
  const run = newStepRun(flow, {
    step: operation,
    operation,
    title: `answer of ${operation}`,
    flags: [],
    view: 'body',
    params: cnj === undefined ? {} : { cnj },
    ...present({ file }),
  });
  const final = await waitForFinal(run, {
    outcome: 'PENDING',
    intentId,
    requestId,
    sinceMs: openedAtMs,
    charged: '0',
    reused: true,
    settled: true,
    // No webhook is expected for this flow: the first poll is at once.
    hintMs: null,
    webhookExpected: false,
    patienceMs: 0,
    eventSeen: true,
  });
  const outcome = conclude(run, { ...final, charged: '0', reused: true });
  if (outcome.outcome === 'DONE') return outcome as DoneCall<BodyReading>;
  const todo = isUndecided(outcome) ? ': decide there' : '';
  throw flow.fail(
    failureTypeOf(outcome),
    `the answer of ${operation} (request ${requestId}) ended ${outcome.outcome}${reasonSuffix(outcome)}; the call was made by workflow ${workflowId}${todo}`,
    { operation, facts: outcome },
  );
}

/** True if its flow still waits for a decision about the charge. */
function isUndecided(outcome: CallOutcome): boolean {
  return (outcome.outcome === 'UNKNOWN' || outcome.outcome === 'CHARGED_LOST') && outcome.decided !== true;
}

function failureTypeOf(outcome: Exclude<CallOutcome, { readonly outcome: 'DONE' }>): FailureType {
  if (outcome.outcome === 'CHARGED_LOST') return 'ChargedLost';
  return outcome.outcome === 'REJECTED' ? failureOfRefusal(outcome) : 'UnknownCharge';
}
