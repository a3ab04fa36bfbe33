/** One charged step and its state between sends: types, and small helpers of all step files. */
import { sleep } from '@temporalio/workflow';
import type { FlagName } from '../../contract/operation.js';
import { formatDuration, withJitter, present } from '../../contract/values/index.js';
import type { AttemptFacts, CallOutcome, CallSubject, StepKey } from '../../protocol/index.js';
import type { Flow } from '../flow/flow.js';

export interface ChargedStep extends Omit<CallSubject, 'account'> {
  /** Logical key of the step within the flow, e.g. `listPublicDocuments/2`. */
  readonly step: string;
  /** A listing shows what the call creates, so it is read before the call is sent. */
  readonly listing?: boolean;
  /** The answer is a file: such a call takes minutes, not seconds. */
  readonly file?: boolean;
  readonly flags: readonly FlagName[];
  /** A refusal (4xx, uncharged) says that the answer is not there yet: the flow parks until a person resumes. */
  readonly refusalMeansNotReady?: boolean;
  /** Replaces the account in the name of its queue. */
  readonly queueOf?: string;
  /** What people read: `POST refresh`, `GET documents page 2`. */
  readonly title: string;
  readonly maxAgeMs?: number;
  readonly notBeforeMs?: number;
  /** Only a call that was sent at or after this instant shows what this step needs. */
  readonly sentNotBeforeMs?: number;
}

export interface StepRun {
  readonly flow: Flow;
  readonly step: ChargedStep;
  /** Number of the last send; 0 before the first. */
  ordinal: number;
  /** Refusals in a row, since the last time a person resumed. */
  refusals: number;
  /** Sends in a row that were provably not sent. */
  unsent: number;
  /** When the last send was begun, epoch ms. */
  askedAtMs: number;
  /** When its activity was last scheduled, epoch ms; 0 before. */
  sentAtMs: number;
  /** An earlier send of this step may have done its work: it is unknown how it ended. */
  mayBeDone: boolean;
  /** Another flow's row for which a wake was answered. */
  wokenFor: string | undefined;
  /** The activity of the last send if it ended without a result, until the ledger is asked what it was charged. */
  lostActivity: string | undefined;
  /** Ledger row of another flow's call whose answer this step takes. */
  joinIntent: string | undefined;
  /** Wakes counted before the last send: a webhook may overtake the answer. */
  wakesBefore: number;
}

export function newStepRun(flow: Flow, step: ChargedStep): StepRun {
  const counts = { ordinal: 0, refusals: 0, unsent: 0, askedAtMs: 0, sentAtMs: 0, wakesBefore: 0 };
  const none = { joinIntent: undefined, wokenFor: undefined, lostActivity: undefined };
  return { flow, step, ...counts, mayBeDone: false, ...none };
}

/** The call of a step as activities get it. */
export function callOf({ flow, step }: StepRun): CallSubject {
  return {
    account: flow.settings.account,
    operation: step.operation,
    params: step.params,
    ...present({ body: step.body, target: step.target, view: step.view }),
  };
}

/** Unique key of the ledger row of the last send. */
export function keyOf({ flow, step, ordinal }: StepRun): StepKey {
  return { workflowId: flow.workflowId, firstRunId: flow.firstRunId, step: step.step, ordinal };
}

/** What the flow knows of the last send, in case the ledger loses its row. */
export function attemptOf(run: StepRun, { reused }: Pick<CallOutcome, 'reused'>): AttemptFacts {
  const { flow, step, askedAtMs, sentAtMs } = run;
  const { once } = flow.settings;
  return {
    ...keyOf(run),
    workflowType: flow.type,
    flags: step.flags,
    askedAtMs,
    ...present({ once, sentAtMs: sentAtMs === 0 ? undefined : sentAtMs }),
    ...(reused ? { isCopy: true } : {}),
  };
}

/** Records the outcome of the last send in the flow's book. */
export function conclude<T extends CallOutcome>({ flow, step, ordinal }: StepRun, outcome: T): T {
  flow.record({ step: step.step, operation: step.operation, ordinal, outcome });
  return outcome;
}

/** Waits before the next send, and shows why. Jitter spreads flows that wait for the same reason. */
export async function waitBeforeSend({ flow, step }: StepRun, why: string, leastMs: number): Promise<void> {
  const waitMs = withJitter(leastMs, Math.random);
  const nextCheckAtMs = Date.now() + waitMs;
  flow.enter({ state: 'waiting', waitingFor: `${why}; next try in ${formatDuration(waitMs)}`, nextCheckAtMs });
  await sleep(waitMs, { summary: `wait before ${step.title} again` });
}
