/**
 * Sends a charged call: its entry is in the journal of the worker before its socket opens, and its request is not written if the
 * activity began more than {@link AGE_FENCE_MS} ago. One HTTP request; cancelling the worker does not cancel it.
 */
import { buildRequest, isCharged, present, type FlagName, type Operation } from '../../contract/index.js';
import { AGE_FENCE_MS, FILE_TOTAL_MS, JSON_TOTAL_MS, nameOfError } from '../../contract/values/index.js';
import type { Exchange } from '../../http/index.js';
import type { Intent, JournalEntry } from '../../ledger/index.js';
import type { ChargedCallInput } from '../../protocol/index.js';
import type { AccountDeps, ServiceDeps, WitnessDeps } from '../deps.js';
import { isFileCall, mayEndInFile } from './stored-file.js';
import { waiterKeysOf } from './waiter-keys-of.js';

type Deps = Pick<ServiceDeps, 'gaps' | 'files' | 'log'> & Pick<WitnessDeps, 'journal' | 'life'>;

/** A charged call from its beginning. */
export interface Call {
  readonly account: AccountDeps;
  readonly operation: Operation<string>;
  readonly input: ChargedCallInput;
  readonly webhookExpected: boolean;
  readonly patienceMs: number;
  readonly age: () => number;
  /** Life (epoch) of the ledger's database when the call began. */
  readonly epoch: string | undefined;
}

/** Writes a charged call to the worker's journal before its socket opens; if that fails, the call is not sent. */
export async function sendJournaled(deps: Deps, call: Call, entry: JournalEntry): Promise<Exchange> {
  if (isCharged(call.operation, call.input.params)) {
    try {
      await deps.journal.append(entry);
    } catch (error) {
      const fields = { intentId: entry.intentId, error: nameOfError(error) };
      deps.log.error(fields, 'journal not written: check the files directory');
      return { kind: 'not_sent', reason: 'the journal of the worker cannot be written' };
    }
    if (deps.life.epoch() !== call.epoch) {
      const reason = 'the database of the ledger may have lost rows since the intent was written';
      return { kind: 'not_sent', reason };
    }
    deps.life.committed(entry.intentId);
  }
  return send(deps, call);
}

export function journalEntryOf({ gaps }: Pick<ServiceDeps, 'gaps'>, { input }: Call, intent: Intent): JournalEntry {
  const { intentId, account, operation, subject, workflowId, firstRunId, step, ordinal } = intent;
  const { workflowType, once, flags, webhookExpected, reserved, openedAtMs } = intent;
  return {
    intentId,
    account,
    operation,
    subject,
    workflowId,
    firstRunId,
    step,
    ordinal,
    workflowType,
    once,
    flags,
    webhookExpected,
    reserved,
    openedAtMs,
    budgetKey: input.budget?.key ?? null,
    waiterKeys: waiterKeysOf(input, gaps),
  };
}

function send(deps: Deps, { account, operation, input, webhookExpected, age }: Call): Promise<Exchange> {
  const flags: readonly FlagName[] = webhookExpected ? [...input.flags, 'callback'] : input.flags;
  const { params, body } = input;
  const built = buildRequest(operation, { params, flags, ...present({ body }) }, deps.gaps);
  const request = input.target === undefined ? built : { ...built, target: input.target };
  const file = isFileCall(operation);
  return account.client.send(request, {
    totalMs: file ? FILE_TOTAL_MS : JSON_TOTAL_MS,
    keepAlive: false,
    ...(mayEndInFile(operation) ? { sink: deps.files.landing } : {}),
    beforeWrite: () =>
      age() > AGE_FENCE_MS ? `the call is ${Math.round(age())} ms old: the process was paused` : undefined,
  });
}
