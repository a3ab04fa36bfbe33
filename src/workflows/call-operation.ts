/**
 * `callOperation`: one call of any operation of the catalogue, with the whole safety of a charged step. What may
 * not be called so is refused before anything is sent: further pages of a lawyer's list, documents before their refresh.
 */
import { present } from '../contract/values/index.js';
import type { Parameters } from '../contract/route.js';
import { FLOWS, type CallOperationResult } from '../protocol/index.js';
import { beginFlow } from './flow/begin-flow.js';
import { answerResult } from './parts/answer-result.js';
import { caseOf, describe, stepOf } from './parts/described-call.js';
import { runChargedStep } from './step/charged-step.js';
import { checkDocumentsRefreshed, splitRefreshGuard } from './parts/documents-guard.js';
import type { Flow } from './flow/flow.js';
import { readInput } from './flow/read-input.js';

export async function callOperation(input: unknown, ...more: unknown[]): Promise<CallOperationResult> {
  const settings = readInput(FLOWS.callOperation.parse, input, more);
  const { operation, body, maxAgeMs } = settings;
  const cnj = caseOf(settings.params);
  const flow = await beginFlow({
    type: 'callOperation',
    settings,
    cnj,
    label: operation,
  });

  const { params, evenIfNotRefreshed } = splitRefreshGuard(flow, settings);
  const call = await describe(flow, { operation, params, ...present({ body }) });
  checkReach(flow, operation, call.params);
  if (operation === 'listPublicDocuments' && !evenIfNotRefreshed) await checkDocumentsRefreshed(flow, cnj);

  const done = await runChargedStep(flow, {
    ...stepOf(call, { step: operation, title: `${call.method} ${operation}` }),
    view: 'body',
    ...present({ body, maxAgeMs }),
  });
  return answerResult(flow, operation, done);
}

/** What other flows do, because one call alone would mislead. */
function checkReach(flow: Flow, operation: string, params: Parameters): void {
  if (operation === 'listLawyerCases' && (params['page'] ?? '1') !== '1') {
    throw flow.fail(
      'InvalidInput',
      'input.params.page of listLawyerCases can only be 1: further pages belong to a version of the collection. Start importLawyerCases. Nothing was sent',
    );
  }
  if (operation === 'getRequest') {
    throw flow.fail(
      'InvalidInput',
      'input.operation getRequest reproduces the answer of another call. Start awaitRequest with the request id. Nothing was sent',
    );
  }
}
