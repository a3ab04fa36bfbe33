/** One look at pending work, and what every look may do: settle the original row, return its outcome, or throw "not yet". */
import { present } from '../../contract/index.js';
import { nameOfError } from '../../contract/values/index.js';
import { pollDelayMs, type Exchange } from '../../http/index.js';
import type { Intent, KnownRow, Settled, Settlement } from '../../ledger/index.js';
import type { AwaitFinalInput, AwaitFinalResult } from '../../protocol/index.js';
import { storedOutcome, withoutWebhook, type Asked, type OutcomeDeps } from '../charged/stored-outcome.js';
import type { AccountDeps, EventDeps, LedgerDeps, RecordDeps, ServiceDeps } from '../deps.js';
import { refreshWrites, rememberAnswer } from '../remember/remember-answer.js';
import { notYet } from '../to-failure.js';

/** Time limit of one request: a refresh may need two within the activity's 60 s. */
export const LOOK_TOTAL_MS = 25_000;

/** The jitter of "not yet" adds 10 % on average. Dividing by it, the mean pause still grows by its share of the time waited. */
const MEAN_SPREAD = 1.1;

export type LookDeps = ServiceDeps & LedgerDeps & RecordDeps & Pick<EventDeps, 'eventsFor'>;

export interface Look {
  readonly deps: LookDeps;
  readonly account: AccountDeps;
  readonly input: AwaitFinalInput;
  /** This flow's row. */
  readonly own: Intent;
  /** The row that carries the charge: the original if this flow joined it. */
  readonly intent: Intent;
  /** `own` with its version, if it carries the charge: the settlement builds on it. */
  readonly row: KnownRow | undefined;
  readonly signal: AbortSignal;
  /** The workflow that polls: it needs no wake for its own result. */
  readonly askedBy: string;
}

/** Settles the row, wakes the flows that wait for it, and returns this flow's row as it is then. */
export async function settle(look: Look, settlement: Settlement, exchange?: Exchange): Promise<Intent> {
  const { deps, input } = look;
  const { settled, isRemembered } = await settleWithEnd(look, settlement);
  await deps.wake(settled.wakes);
  const body = exchange?.kind === 'answer' ? exchange.body : undefined;
  if (!isRemembered) {
    await rememberAnswer(deps, { intent: settled.intent, params: input.params, ...present({ body }) });
  }
  return settled.intent;
}

/** Settles the row, with the record of an ended refresh in one transaction; if that fails, without it (docs/decisions/0071). */
async function settleWithEnd(
  { deps, input, askedBy, row, intent }: Look,
  settlement: Settlement,
): Promise<{ readonly settled: Settled; readonly isRemembered: boolean }> {
  const { intentId } = input;
  const { finalState = intent.finalState, rawStatus = intent.rawStatus } = settlement;
  const ended = { ...intent, finalState, rawStatus };
  const beside =
    row === undefined || settlement.state !== 'done'
      ? []
      : refreshWrites(deps, { intent: ended, params: input.params });
  if (beside.length > 0) {
    try {
      const settled = await deps.ledger.settle(intentId, settlement, { askedBy, row, beside });
      return { settled, isRemembered: settled.applied };
    } catch (error) {
      deps.log.warn({ intentId, error: nameOfError(error) }, 'refresh not settled together with its record');
    }
  }
  return { settled: await deps.ledger.settle(intentId, settlement, { askedBy, row }), isRemembered: false };
}

export async function settledResult(
  deps: OutcomeDeps,
  intent: Intent,
  asked: Asked,
): Promise<Extract<AwaitFinalResult, { kind: 'settled' }>> {
  if (intent.state === 'pending' || intent.state === 'open') throw notYet('the answer is being settled', 1_000);
  return { kind: 'settled', call: await storedOutcome(deps, intent, withoutWebhook(asked)) };
}

/** `word`: an unknown status, which the message names so that people can configure it. */
export function stillPending(look: Look, hintMs: number | null, word?: string): Error {
  const says = word === undefined ? '' : `: its status says "${word}", which counts as running (gaps.statusWords)`;
  return notYet(`the service has not finished${says}`, delayMs(look, hintMs));
}

export function delayMs(look: Look, hintMs: number | null): number {
  const waitedMs = Math.max(0, look.deps.clock.nowMs() - look.input.sinceMs);
  return pollDelayMs({ hintMs, waitedMs: waitedMs / MEAN_SPREAD });
}
