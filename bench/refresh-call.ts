/** A charged call as a refresh flow asks the ledger to open it. */
import { randomUUID } from 'node:crypto';
import type { OpenIntent } from '../src/ledger/index.js';
import { caseNumberOf } from '../soak/identifiers.js';

/** Each `n` is another case and another flow. */
export function refreshCall(n: number, account = 'default'): OpenIntent {
  const cnj = caseNumberOf(n);
  return {
    workflowId: `bench.${n}`,
    firstRunId: 'bench',
    workflowType: 'refreshCase',
    step: 'requestRefresh',
    ordinal: 1,
    account,
    operation: 'requestRefresh',
    params: { cnj },
    flags: [],
    webhookExpected: true,
    attemptToken: randomUUID(),
    attempt: 1,
    waiterKeys: [`cnj:${cnj}`],
  };
}
