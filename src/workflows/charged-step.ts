/**
 * One charged step of a flow, from intent to answer: sends, waits, parks and sends again until there is a usable answer or a
 * reason to end. Reads like the outcome table of design 8. All money rules live here and in the ledger:
 *
 * S1: a new send always has a new ordinal, and only `NOT_SENT`, `REJECTED` or a person's `not-charged` lead to one.
 * S2: `UNKNOWN` and `CHARGED_LOST` are never repeated by themselves.
 * S3: a flow that has paid never fails on what can be cured: it parks.
 */
import { isCancellation, sleep } from '@temporalio/workflow';
import type { ApplicationFailure } from '@temporalio/common';
import type { FlagName, OperationId } from '../contract/operation.js';
import type { Parameters } from '../contract/route.js';
import { formatDuration } from '../contract/values/index.js';
import type { CallHeld, CallOutcome, ChargedActivities, ChargedCallResult } from '../protocol/index.js';
import { waitForFinal } from './await-final.js';
import { chargedCalls, freeCalls } from './calls.js';
import { decideActivityFailure } from './decide-activity-failure.js';
import { MAX_TRIES, decideRejection, notSentWaitMs } from './decide-rejection.js';
import type { Flow } from './flow.js';
import { parkOnBudget, parkOnCharge, parkUntilResumed } from './parking.js';
import { waitForOtherFlow } from './wait-for-other-flow.js';

export interface ChargedStep {
  /** Logical key of the step within the flow, e.g. `listPublicDocuments/2`. */
  readonly step: string;
  readonly operation: OperationId & keyof ChargedActivities;
  readonly params: Parameters;
  readonly flags: readonly FlagName[];
  /** What people read: `POST refresh`, `GET documents page 2`. */
  readonly title: string;
  readonly maxAgeMs?: number;
  readonly notBeforeMs?: number;
}

export type DoneCall = Extract<CallOutcome, { outcome: 'DONE' }>;

/** Runs `step` to its answer. Throws the flow's failure, or `CancelledFailure` once a running call has settled. */
export async function runChargedStep(flow: Flow, step: ChargedStep): Promise<DoneCall> {
  const run = new StepRun(flow, step);
  let outcome = await run.send();
  for (;;) {
    switch (outcome.outcome) {
      case 'DONE':
        return outcome;
      case 'PENDING':
        outcome = run.conclude(await waitForFinal(flow, step, outcome, run.wakesBefore));
        break;
      case 'REJECTED':
        outcome = await run.afterRejection(outcome);
        break;
      case 'NOT_SENT':
        outcome = await run.afterNotSent(outcome);
        break;
      case 'CHARGED_LOST':
        outcome = await run.afterDecision('charged-lost', outcome);
        break;
      case 'UNKNOWN':
        outcome = await run.afterUnknown(outcome);
        break;
    }
  }
}

/** The state of one step between its sends. */
class StepRun {
  readonly #flow: Flow;
  readonly #step: ChargedStep;
  #ordinal = 0;
  #refusals = 0;
  #unsent = 0;
  #joinIntent: string | undefined;
  /** Wakes counted before the last send: a webhook may overtake the answer. */
  wakesBefore = 0;

  constructor(flow: Flow, step: ChargedStep) {
    this.#flow = flow;
    this.#step = step;
  }

  /** Sends with a new ordinal and comes back with an outcome; what only holds the call is waited for here. */
  async send(): Promise<CallOutcome> {
    this.#ordinal += 1;
    for (;;) {
      this.wakesBefore = this.#flow.wakes();
      const result = await this.#attempt();
      if ('caseAttribute' in result) this.#flow.maskCase(result.caseAttribute);
      switch (result.outcome) {
        case 'NOT_STARTED':
          break;
        case 'REFUSED':
          throw this.#flow.fail('InvalidInput', result.problem, { operation: this.#step.operation });
        case 'HELD':
          await this.#waitWhileHeld(result);
          break;
        default:
          return this.conclude(await this.#settled(result));
      }
    }
  }

  conclude(outcome: CallOutcome): CallOutcome {
    const { step, operation } = this.#step;
    this.#flow.record({ step, operation, ordinal: this.#ordinal, outcome });
    return outcome;
  }

  async afterRejection(refused: Extract<CallOutcome, { outcome: 'REJECTED' }>): Promise<CallOutcome> {
    this.#refusals += 1;
    const next = decideRejection(refused, { tries: this.#refusals, paid: this.#flow.paid() });
    switch (next.then) {
      case 'send again':
        this.#waiting(`the service asked to wait (HTTP ${refused.status ?? 429})`, next.afterMs);
        await sleep(next.afterMs, { summary: `wait before ${this.#step.title} again` });
        return this.send();
      case 'park':
        await parkUntilResumed(this.#flow, this.#step, { attention: next.attention, facts: refused });
        this.#refusals = 0;
        return this.send();
      case 'fail':
        throw this.#flow.fail(
          next.type,
          `${this.#step.title} was refused with HTTP ${refused.status ?? '?'}${said(refused)}. ${cureOf(next.type)}`,
          {
            operation: this.#step.operation,
            facts: refused,
          },
        );
    }
  }

  async afterNotSent(unsent: Extract<CallOutcome, { outcome: 'NOT_SENT' }>): Promise<CallOutcome> {
    this.#unsent += 1;
    if (this.#unsent < MAX_TRIES) {
      const waitMs = notSentWaitMs(this.#unsent);
      this.#waiting(`${this.#step.title} could not be sent${said(unsent)}`, waitMs);
      await sleep(waitMs, { summary: `wait before ${this.#step.title} again` });
      return this.send();
    }
    if (!this.#flow.paid()) {
      throw this.#flow.fail(
        'Unreachable',
        `${this.#step.title} could not be sent ${MAX_TRIES} times${said(unsent)}; nothing was charged. Check TRAMITA_API_URL, the network and the database, then start again`,
        { operation: this.#step.operation, facts: unsent },
      );
    }
    await parkUntilResumed(this.#flow, this.#step, { attention: 'stalled', facts: unsent });
    this.#unsent = 0;
    return this.send();
  }

  /** Free knowledge first (ledger; evidence), then a person. */
  async afterUnknown(unknown: Extract<CallOutcome, { outcome: 'UNKNOWN' }>): Promise<CallOutcome> {
    const resolved = this.conclude(await this.#resolve(unknown.intentId));
    if (resolved.outcome !== 'UNKNOWN') return resolved;
    if (resolved.abandoned === true) throw this.#abandoned(resolved);
    return this.afterDecision('unknown-charge', { ...unknown, ...resolved });
  }

  /** Parks on a charge until it is decided, here, in another flow, or by a late answer. */
  async afterDecision(
    attention: 'unknown-charge' | 'charged-lost',
    outcome: Extract<CallOutcome, { outcome: 'UNKNOWN' | 'CHARGED_LOST' }>,
  ): Promise<CallOutcome> {
    for (;;) {
      const verdict = await parkOnCharge(this.#flow, this.#step, { attention, facts: outcome });
      switch (verdict.then) {
        case 'send again':
          return this.send();
        case 'pending':
          return this.conclude({
            ...outcome,
            outcome: 'PENDING',
            ...(verdict.requestId === undefined ? {} : { requestId: verdict.requestId }),
            hintMs: 0,
            webhookExpected: false,
            patienceMs: 0,
            eventSeen: false,
            sinceMs: Date.now(),
          });
        case 'look again': {
          const resolved = this.conclude(await this.#resolve(outcome.intentId));
          if (resolved.outcome === 'UNKNOWN' && resolved.abandoned === true) throw this.#abandoned(resolved);
          if (resolved.outcome !== outcome.outcome) return resolved;
          break;
        }
      }
    }
  }

  async #attempt(): Promise<ChargedCallResult | { readonly outcome: 'NOT_STARTED' }> {
    const { step, operation, title } = this.#step;
    const { settings } = this.#flow;
    this.#flow.record({ step, operation, ordinal: this.#ordinal });
    this.#flow.enter({ state: stateOf(operation), waitingFor: `${title} #${this.#ordinal}` });
    const calls = chargedCalls({
      taskQueue: this.#flow.taskQueue,
      account: settings.account,
      summary: `${title} ${this.#flow.label()} #${this.#ordinal}`,
    });
    try {
      return await calls[operation]({
        ...this.#key(),
        workflowType: this.#flow.type,
        account: settings.account,
        params: this.#step.params,
        flags: this.#step.flags,
        ...(settings.webhook === undefined ? {} : { webhook: settings.webhook }),
        ...(settings.webhookPatienceMs === undefined ? {} : { webhookPatienceMs: settings.webhookPatienceMs }),
        ...(settings.once === undefined ? {} : { once: settings.once }),
        ...(this.#step.maxAgeMs === undefined ? {} : { maxAgeMs: this.#step.maxAgeMs }),
        ...(this.#step.notBeforeMs === undefined ? {} : { notBeforeMs: this.#step.notBeforeMs }),
        ...(settings.maxSpend === undefined ? {} : { maxSpend: settings.maxSpend }),
        ...(this.#joinIntent === undefined ? {} : { joinIntent: this.#joinIntent }),
      });
    } catch (error) {
      if (isCancellation(error)) throw error;
      const lost = decideActivityFailure(error);
      switch (lost.kind) {
        case 'not started':
          return { outcome: 'NOT_STARTED' };
        case 'not sent':
          return { outcome: 'NOT_SENT', reason: lost.reason, charged: null, reused: false, settled: true };
        case 'unknown':
          return { outcome: 'UNKNOWN', reason: lost.reason, charged: null, reused: false, settled: true };
      }
    }
  }

  /** An answer that only the spool has is settled first, by a free activity that keeps trying. */
  async #settled(outcome: CallOutcome): Promise<CallOutcome> {
    if (outcome.settled || outcome.intentId === undefined) return outcome;
    const { operation, params, title } = this.#step;
    return freeCalls(`store the answer of ${title} ${this.#flow.label()}`).settleFromSpool({
      account: this.#flow.settings.account,
      intentId: outcome.intentId,
      operation,
      params,
    });
  }

  #resolve(intentId: string | undefined): Promise<CallOutcome> {
    const { operation, params, title } = this.#step;
    return freeCalls(`look up ${title} ${this.#flow.label()} #${this.#ordinal}`).resolveUnknown({
      ...this.#key(),
      account: this.#flow.settings.account,
      operation,
      params,
      ...(intentId === undefined ? {} : { intentId }),
    });
  }

  async #waitWhileHeld(held: CallHeld): Promise<void> {
    switch (held.because) {
      case 'open elsewhere':
        this.#joinIntent = held.intentId;
        await waitForOtherFlow(this.#flow, this.#step.title, this.wakesBefore);
        return;
      case 'unknown elsewhere':
        this.#joinIntent = held.intentId;
        await parkOnCharge(this.#flow, this.#step, {
          attention: 'unknown-charge',
          facts: { intentId: held.intentId, charged: '0', reused: true, settled: true },
          elsewhereSinceMs: held.openedAtMs,
        });
        return;
      case 'budget':
        await parkOnBudget(this.#flow, this.#step, held);
        return;
    }
  }

  /** The charge was given up by a person, here before a reset or in the flow that made the call. */
  #abandoned(facts: CallOutcome): ApplicationFailure {
    return this.#flow.fail(
      'UnknownCharge',
      `${this.#step.title} was abandoned by a person; whether it was charged stays open in the ledger`,
      { operation: this.#step.operation, facts },
    );
  }

  #key(): { workflowId: string; firstRunId: string; step: string; ordinal: number } {
    const { workflowId, firstRunId } = this.#flow;
    return { workflowId, firstRunId, step: this.#step.step, ordinal: this.#ordinal };
  }

  #waiting(why: string, waitMs: number): void {
    this.#flow.enter({
      state: 'waiting',
      waitingFor: `${why}; again in ${formatDuration(waitMs)}`,
      nextCheckAtMs: Date.now() + waitMs,
    });
  }
}

function stateOf(operation: OperationId): 'requesting' | 'reading' {
  return operation === 'requestRefresh' ? 'requesting' : 'reading';
}

function said(facts: { readonly reason?: string; readonly errorCode?: string }): string {
  const text = [facts.errorCode, facts.reason].filter((part) => part !== undefined).join(': ');
  return text === '' ? '' : ` (${text})`;
}

const CURES: Readonly<Record<string, string>> = {
  Unauthorized: 'Check the API key of the account (TRAMITA_API_KEY) and start again',
  Forbidden: 'The key may not do this operation: ask the service to allow it, or use another account',
  InsufficientBalance: 'Top up the balance of the account and start again',
  NotFound: 'The service does not know this case: check the number',
  Throttled: 'The service keeps asking to wait: lower requestsPerMinute of the account and start again later',
  Rejected: 'The service does not accept the request as asked: read its reason above',
  Unreachable: 'The service keeps failing: try again later',
};

function cureOf(type: string): string {
  return CURES[type] ?? '';
}
