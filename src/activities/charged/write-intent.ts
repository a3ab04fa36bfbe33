/**
 * Writes the intent before the send. Retries with the same token while the age fence still allows a send, so that a lost
 * commit acknowledgement is recognised. If the database stays away, nothing is sent, the spool records that, and the flow waits
 * for the database.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAmount, present } from '../../contract/index.js';
import { nameOfError } from '../../contract/values/index.js';
import { ledgerParams, type IntentVerdict, type OpenIntent } from '../../ledger/index.js';
import type { ChargedCallInput } from '../../protocol/index.js';
import type { LedgerDeps, ServiceDeps, WitnessDeps } from '../deps.js';
import { waiterKeysOf } from './waiter-keys-of.js';

export interface Attempt {
  readonly attempt: number;
  /** A UUID made once per attempt; the id of the new row. */
  readonly attemptToken: string;
}

interface IntentOrder {
  readonly operation: string;
  readonly input: ChargedCallInput;
  readonly attempt: Attempt;
  readonly webhookExpected: boolean;
  readonly age: () => number;
  /** No further try once the call is older than this, ms. */
  readonly untilAgeMs: number;
}

const AGAIN_AFTER_MS = 500;

/** The database gave no verdict: nothing may be sent. */
interface NotWritten {
  readonly kind: 'away';
  readonly reason: string;
}

type Deps = Pick<ServiceDeps, 'clock' | 'gaps' | 'log'> & Pick<LedgerDeps, 'ledger'> & Pick<WitnessDeps, 'spool'>;

export async function writeIntent(deps: Deps, order: IntentOrder): Promise<IntentVerdict | NotWritten> {
  const request = requestOf(deps, order);
  for (;;) {
    try {
      // By a wrong clock equal calls are paid twice (docs/decisions/0080).
      await deps.clock.setIfChanged?.();
      return await deps.ledger.openIntent(request);
    } catch (error) {
      deps.log.warn({ step: order.input.step, error: nameOfError(error) }, 'intent not written');
      if (order.age() > order.untilAgeMs) {
        return giveUp(deps, request.attemptToken, `the ledger could not be written (${nameOfError(error)})`);
      }
    }
    await sleep(AGAIN_AFTER_MS);
  }
}

/** The row may be committed although its acknowledgement was lost. The janitor will settle it as not sent, from the spool. */
async function giveUp({ spool }: Pick<WitnessDeps, 'spool'>, intentId: string, reason: string): Promise<NotWritten> {
  await spool.write(intentId, { state: 'not_sent', reason }, null).catch(() => undefined);
  return { kind: 'away', reason };
}

function requestOf(
  { gaps }: Pick<ServiceDeps, 'gaps'>,
  { operation, input, attempt, webhookExpected }: IntentOrder,
): OpenIntent {
  const { workflowId, firstRunId, step, ordinal, account, workflowType, body, flags } = input;
  const params = ledgerParams(input);
  const { once, maxAgeMs, notBeforeMs, sentNotBeforeMs, askedAtMs, joinIntent, budget } = input;
  const maxSpend = input.maxSpend === undefined ? undefined : parseAmount(input.maxSpend);
  const limit = budget === undefined ? undefined : parseAmount(budget.limit);
  return {
    workflowId,
    firstRunId,
    step,
    ordinal,
    account,
    workflowType,
    params,
    flags,
    operation,
    webhookExpected,
    ...attempt,
    waiterKeys: waiterKeysOf(input, gaps),
    ...present({ body, once, maxAgeMs, notBeforeMs, sentNotBeforeMs, askedAtMs, maxSpend, joinIntent }),
    ...(limit === undefined || budget === undefined ? {} : { budget: { key: budget.key, limit } }),
  };
}
