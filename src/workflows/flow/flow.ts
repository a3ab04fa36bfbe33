/**
 * The running flow: its state as people see it (query, current details), made of what it is about, its settings, its book of
 * steps, its wakes and its attention. What the flow *does* is in the flow's own file and in the step files; where it waits for
 * people is in the parking lot.
 */
import { formatDuration, present } from '../../contract/values/index.js';
import { defineQuery, defineSignal, log, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import type { ApplicationFailure } from '@temporalio/common';
import {
  QUERY_PROGRESS,
  SIGNAL_WAKE,
  flowFailure,
  type Attention,
  type CallFacts,
  type CommonSettings,
  type FailureType,
  type FlowCosts,
  type FlowState,
  type Progress,
  type StepOfFlow,
  type UnexpectedRead,
  type WorkflowType,
} from '../../protocol/index.js';
import { ASKS_AFTER_MS } from './asks-after.js';
import { openAttention } from './attention.js';
import { describeProgress } from './details.js';
import { createEventLooks, type EventLooks } from './event-looks.js';
import type { Book, StepRecord } from './flow-record.js';
import { openBook } from './open-book.js';
import { openParkingLot } from './parking-lot.js';
import type { FailedCall, ParkingPlace, Verdict } from './parking-place.js';
import { openSettings } from './running-settings.js';
import { openSubject, type Subject } from './shown-subject.js';
import { createWakeCount } from './wake-count.js';

const wakeSignal = defineSignal<[unknown?]>(SIGNAL_WAKE);
const progressQuery = defineQuery<Progress>(QUERY_PROGRESS);

export interface FlowSubject extends Subject {
  readonly settings: CommonSettings & { readonly courtKnown?: boolean };
  /** Book of the previous run, if this one continues it. */
  readonly book?: Book | undefined;
}

export interface Waiting {
  readonly state: FlowState;
  readonly waitingFor?: string;
  readonly nextCheckAtMs?: number;
  /** When the state began, if not now: a parked flow that has looked again by itself keeps its first instant. */
  readonly sinceMs?: number;
  /** Task queue of the charged call: while no worker serves it, the flow stands still. */
  readonly callQueue?: string;
}

/** One flow's state and what the step files need of it. */
export interface Flow {
  readonly type: WorkflowType;
  readonly settings: CommonSettings;
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly taskQueue: string;
  /** When this flow was started, with all runs that it continues: epoch ms by the server's clock. */
  readonly startedAtMs: number;
  /** Subject as people read it; a token where the account masks case numbers. */
  label(): string;
  /** The account turned out to mask case numbers: show the token from here on. */
  maskCase(token: string): void;
  enter(waiting: Waiting): void;
  /** Shows something else that the flow waits for now. It stays in its state, and nothing else changes: a `resume` waits on. */
  showWait(waitingFor: string): void;
  /** The attention under which the flow tries again by itself, its cause not known to be cured yet; null otherwise. */
  unsure(): Attention | null;
  /** The cause for which the flow was parked is cured. */
  recover(): void;
  record(record: StepRecord): void;
  paid(): boolean;
  /** Number of `wake` signals so far: compare with an earlier reading. */
  wakes(): number;
  /** Number of `wake` signals that named this event. */
  eventsOf(event: string): number;
  /** When an event may make the flow look for itself. */
  readonly eventLooks: EventLooks;
  /** What a run that continues this one gets. */
  book(): Book;
  /** Sets counts that people read; each replaces an earlier one of its name. */
  count(more: Book['counts']): void;
  /** Shows what other runs have spent for this flow, which has no charged calls of its own. */
  showSpent(spent: FlowCosts['spent']): void;
  /** A read that should be free was charged: it is shown, and the flow goes on. */
  inform(unexpected: UnexpectedRead): void;
  /** Parks until a verdict. If none comes in time, it throws the failure that the place names. */
  parkUntilVerdict(place: ParkingPlace): Promise<Verdict>;
  fail(type: FailureType, message: string, call?: FailedCall): ApplicationFailure;
  /** Ends the flow. Returns the members that every result has. */
  end(): FlowCosts;
}

/** Sets up handlers and search attributes. Call it before the first `await` of a flow. */
export function openFlow(subject: FlowSubject): Flow {
  const info = workflowInfo();
  const attributes = info.typedSearchAttributes;
  let waiting: Waiting = { state: 'starting' };
  let sinceMs = Date.now();
  const about = openSubject(subject, attributes);
  const settings = openSettings(subject.settings, info.memo);
  const attention = openAttention(attributes);
  const book = openBook(subject.book, info.startTime.getTime());
  const wakes = createWakeCount(() => book.countOneMore('undecodable'));
  const eventLooks = createEventLooks();
  const lot = openParkingLot({ adopted: book.adopted, wakes, eventLooks, settings });

  const progress = (): Progress => ({
    state: waiting.state,
    waitingFor: waiting.waitingFor ?? null,
    since: new Date(sinceMs).toISOString(),
    nextCheckAt: waiting.nextCheckAtMs === undefined ? null : new Date(waiting.nextCheckAtMs).toISOString(),
    attention: attention.current(),
    ...present({ intentId: lot.place()?.intentId }),
    ...book.shown(),
  });
  const show = (): void => {
    const shown = { label: about.label(), workflowId: info.workflowId, madeBy: book.madeBy() };
    const subject = { ...shown, ...present({ callQueue: waiting.callQueue }) };
    setCurrentDetails(describeProgress(progress(), subject, lot.place()));
  };
  const enter = (next: Waiting): void => {
    if (next.sinceMs !== undefined) sinceMs = next.sinceMs;
    else if (next.state !== waiting.state || next.waitingFor !== waiting.waitingFor) sinceMs = Date.now();
    waiting = next;
    if (next.state !== 'parked') {
      lot.leave(next.state);
      attention.leave();
    }
    show();
  };
  const showWait = (waitingFor: string): void => {
    waiting = { state: waiting.state, waitingFor };
    sinceMs = Date.now();
    show();
  };
  const recover = (): void => {
    if (attention.recover()) show();
  };

  const fail: Flow['fail'] = (type, message, { operation, facts } = {}) => {
    lot.attemptEnded();
    // The SDK's log line about a failed run has the message but not the failure type, which it loses between its threads.
    log.warn('the flow fails', { failure: type });
    const { status, errorCode, requestId, searchLogId } = facts ?? ({} as Partial<CallFacts>);
    return flowFailure(type, message, {
      account: subject.settings.account,
      ...present({ operation, status, errorCode, requestId, searchLogId }),
      ...book.costs(),
    });
  };

  setHandler(progressQuery, progress, {
    description: 'State, what the flow waits for, its steps, and what was spent. Plain JSON.',
  });
  setHandler(wakeSignal, wakes.take, {
    description: 'A hint that something happened; can only shorten a wait. {eventId?, event?, reason?}',
  });
  about.setAttributes();
  show();

  return {
    type: subject.type,
    get settings() {
      return settings.now();
    },
    workflowId: info.workflowId,
    firstRunId: info.firstExecutionRunId,
    taskQueue: info.taskQueue,
    startedAtMs: book.startedAtMs,
    label: about.label,
    maskCase: about.maskCase,
    enter,
    showWait,
    unsure: () => attention.unsure(),
    recover,
    record: (record) => {
      book.record(record);
      const name = record.outcome?.outcome;
      if (name === 'DONE' || name === 'PENDING') {
        lot.attemptEnded();
        attention.answered();
      }
      show();
    },
    paid: book.paid,
    wakes: wakes.all,
    eventsOf: wakes.of,
    eventLooks,
    book: book.handOver,
    count: book.count,
    showSpent: book.showSpent,
    inform: (read) => {
      if (read.booked !== true) book.recordUnexpected(read);
      attention.inform();
      show();
    },
    parkUntilVerdict: async (place) => {
      const parkedSinceMs = attention.raise(place);
      const waited = lot.wait(place, parkedSinceMs);
      enter(parkedAt(place, { sinceMs: parkedSinceMs, asks: attention.current() === place.attention }));
      const verdict = await waited;
      if (verdict === undefined) {
        const { type, message, ...call } = place.givesUp;
        throw fail(type, message, call);
      }
      attention.waitEnded({ byItself: verdict.by === 'wake' || verdict.by === 'timer' });
      return verdict;
    },
    fail,
    end: () => {
      recover();
      enter({ state: 'done' });
      return book.costs();
    },
  };
}

/** The key by which the ledger finds a step: by this run, or under its `once`. */
export function stepOfFlow({ type: workflowType, workflowId, firstRunId, settings }: Flow, step: string): StepOfFlow {
  const { account, once } = settings;
  return { account, workflowType, step, run: { workflowId, firstRunId }, ...present({ once }) };
}

/** What people read about a parked flow. `asks`: the attention is raised, so a person is asked. */
function parkedAt(place: ParkingPlace, parked: { readonly sinceMs: number; readonly asks: boolean }): Waiting {
  const nowMs = Date.now();
  const lookAgainAfterMs = place.lookAgainAfterMs?.(nowMs - parked.sinceMs);
  return {
    state: 'parked',
    sinceMs: parked.sinceMs,
    waitingFor: parked.asks
      ? place.waitingFor
      : `free evidence, or ${place.waitingFor}; a person is asked after ${formatDuration(ASKS_AFTER_MS)}`,
    ...(lookAgainAfterMs === undefined ? {} : { nextCheckAtMs: nowMs + lookAgainAfterMs }),
  };
}
