/**
 * The ledger has forgotten pending work: its row is written again from what the flow knows, and polled on. Undefined where
 * that is not enough: the resolver takes over.
 */
import { present } from '../../contract/index.js';
import { ledgerParams, type Intent } from '../../ledger/index.js';
import type { AwaitFinalInput } from '../../protocol/index.js';
import { waiterKeysOf } from '../charged/waiter-keys-of.js';
import type { ActivityDeps } from '../deps.js';

export async function bringBackPending(deps: ActivityDeps, input: AwaitFinalInput): Promise<Intent | undefined> {
  const { attempt, intentId, requestId, account, operation } = input;
  if (attempt === undefined || attempt.isCopy === true || requestId === undefined) return undefined;
  const { workflowId, firstRunId, step, ordinal } = attempt;
  const { intent } = await deps.ledger.restoreFromFlow({
    ...{ intentId, requestId, account, operation, workflowId, firstRunId, step, ordinal },
    params: ledgerParams(input),
    ...present({ body: input.body }),
    workflowType: attempt.workflowType,
    flags: attempt.flags,
    once: attempt.once ?? null,
    waiterKeys: waiterKeysOf(input, deps.gaps),
    openedAtMs: input.sinceMs,
  });
  deps.log.error(
    { intentId, operation, account },
    'the ledger had lost the row of pending work; its flow has written it again',
  );
  return intent;
}
