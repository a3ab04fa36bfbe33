/**
 * `callOperation`: makes one call of any operation of the catalogue, as a charged step. Calls that would mislead are refused
 * before anything is sent: later pages of a lawyer's list, documents before their refresh.
 */
import { present } from '../contract/values/index.js';
import { FLOWS, reachProblem, type CallOperationResult } from '../protocol/index.js';
import { beginFlow } from './flow/begin-flow.js';
import { defineFlow } from './flow/define-flow.js';
import { answerResult } from './parts/answer-result.js';
import { caseOf, describe, stepOf } from './parts/described-call.js';
import { runChargedStep } from './step/charged-step.js';
import { checkDocumentsRefreshed, splitRefreshGuard } from './parts/documents-guard.js';
import { readInput } from './flow/read-input.js';

export const callOperation = defineFlow('callOperation', async (input, ...more): Promise<CallOperationResult> => {
  const settings = readInput(FLOWS.callOperation.parse, input, more);
  const { operation, body, maxAgeMs } = settings;
  const cnj = caseOf(settings.params);
  const flow = await beginFlow({ type: 'callOperation', settings, cnj, label: operation });

  const { params, evenIfNotRefreshed } = splitRefreshGuard(flow, settings);
  const call = await describe(flow, { operation, params, ...present({ body }) });
  const problem = reachProblem(operation, call.params);
  if (problem !== undefined) throw flow.fail('InvalidInput', problem);
  if (operation === 'listPublicDocuments' && !evenIfNotRefreshed) await checkDocumentsRefreshed(flow, cnj, operation);

  const done = await runChargedStep(flow, {
    ...stepOf(call, { step: operation, title: `${call.method} ${operation}` }),
    view: 'body',
    ...present({ body, maxAgeMs }),
  });
  return answerResult(flow, operation, done);
});
