/**
 * The running flow: its state as people see it (query, current details, search attributes) and its book of steps. What the flow
 * *does* is in the flow's own file and in the step files; where it waits for people is in the parking lot.
 *
 * `wake` only counts: it can shorten a wait, nothing else.
 */
import { formatCnj, formatDuration, present, type Cnj } from '../../contract/values/index.js';
import {
  defineQuery,
  defineSignal,
  log,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey, type ApplicationFailure } from '@temporalio/common';
import {
  QUERY_PROGRESS,
  SEARCH_ATTRIBUTES,
  SIGNAL_WAKE,
  MEMO_MAX_SPEND,
  MEMO_SWEEP,
  flowFailure,
  raisedCapProblem,
  readSweepMemo,
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
import { createWakeReader } from './wake-reader.js';

const FLOW = defineSearchAttributeKey(SEARCH_ATTRIBUTES.flow, 'KEYWORD');
const ACCOUNT = defineSearchAttributeKey(SEARCH_ATTRIBUTES.account, 'KEYWORD');
const CASE = defineSearchAttributeKey(SEARCH_ATTRIBUTES.case, 'KEYWORD');

const wakeSignal = defineSignal<[unknown?]>(SIGNAL_WAKE);
const progressQuery = defineQuery<Progress>(QUERY_PROGRESS);

export interface FlowSubject {
  readonly type: WorkflowType;
  readonly settings: CommonSettings & { readonly courtKnown?: boolean };
  /** The one case that the flow is about: it is shown, unless its account masks it, and the search attribute has its digits. */
  readonly cnj?: Cnj | undefined;
  /** What people read if the flow is about no case. */
  readonly label?: string;
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
  const { cnj } = subject;
  const given = attributes.get(CASE);
  let label = firstLabel(subject, given);
  let shownCase: string | undefined = given ?? cnj;
  let settings = withMemo(subject.settings, info.memo);
  let waiting: Waiting = { state: 'starting' };
  let sinceMs = Date.now();
  const attention = openAttention(attributes);
  const book = openBook(subject.book, info.startTime.getTime());
  const takeWake = createWakeReader();
  let wakes = 0;
  const events = new Map<string, number>();
  const eventLooks = createEventLooks();
  const lot = openParkingLot({
    adopted: book.adopted,
    // The ledger knows more now: every wait looks again.
    decided: () => {
      wakes += 1;
    },
    cap: () => settings.maxSpend,
    raise: (maxSpend) => {
      settings = { ...settings, maxSpend };
      upsertMemo({ [MEMO_MAX_SPEND]: maxSpend });
    },
  });

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
    const { callQueue } = waiting;
    const about = { label, workflowId: info.workflowId, ...present({ callQueue }) };
    setCurrentDetails(describeProgress(progress(), about, lot.place()));
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
  setHandler(
    wakeSignal,
    (payload) => {
      const wake = takeWake(payload);
      if (wake === undefined) {
        book.countOneMore('undecodable');
        return;
      }
      wakes += 1;
      if (wake.event !== undefined) events.set(wake.event, (events.get(wake.event) ?? 0) + 1);
    },
    { description: 'A hint that something happened; can only shorten a wait. {eventId?, event?, reason?}' },
  );
  if (attributes.get(FLOW) === undefined) {
    upsertSearchAttributes([
      { key: FLOW, value: subject.type },
      { key: ACCOUNT, value: subject.settings.account },
      ...(cnj === undefined ? [] : [{ key: CASE, value: cnj }]),
    ]);
  }
  show();

  return {
    type: subject.type,
    get settings() {
      return settings;
    },
    workflowId: info.workflowId,
    firstRunId: info.firstExecutionRunId,
    taskQueue: info.taskQueue,
    startedAtMs: book.startedAtMs,
    label: () => label,
    maskCase: (token) => {
      label = `case ${token}`;
      if (shownCase === token) return;
      shownCase = token;
      upsertSearchAttributes([{ key: CASE, value: token }]);
    },
    enter,
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
    wakes: () => wakes,
    eventsOf: (event) => events.get(event) ?? 0,
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
      const waited = lot.wait(place, { sinceMs: parkedSinceMs, wakes: () => wakes, eventLooks });
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

/** If the case is masked, a run that continues another one takes the token from the search attribute. */
function firstLabel({ type, label = type, cnj }: FlowSubject, given: string | undefined): string {
  if (given !== undefined && given !== cnj) return `case ${given}`;
  return cnj === undefined ? label : formatCnj(cnj);
}

/**
 * A refresh that a portfolio started takes its `once` key and shared budget from the memo; the input's own values win. A cap
 * that a person has raised in an earlier run stays raised.
 */
function withMemo(settings: CommonSettings, memo: Record<string, unknown> | undefined): CommonSettings {
  const sweep = readSweepMemo(memo?.[MEMO_SWEEP]);
  const raised = memo?.[MEMO_MAX_SPEND];
  const isRaised =
    typeof raised === 'string' && raisedCapProblem({ by: '', maxSpend: raised }, settings.maxSpend) === undefined;
  return { ...sweep, ...settings, ...(isRaised ? { maxSpend: raised } : {}) };
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
