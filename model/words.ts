/**
 * The state of the small world: two flows that make the same call about one case, two workers, the ledger's database, the
 * service, a person. Plain values, never mutated. There is no clock: each wait that matters is a move.
 */

export type FlowName = 0 | 1;
export type WorkerName = 0 | 1;

/** Sends of one flow that the model follows: the third would repeat what the second has shown. */
export const ORDINALS = 2;
/** One per flow and ordinal: it indexes the ledger row, the request at the service, and the entry in a journal. */
export const CALLS = 2 * ORDINALS;
/** Bodies of the charged activity that a flow may have at once: the one it waits for, and one reported to it as lost. */
export const BODIES = 2;

/** The state of the flow, in the words of the workflow code. */
export const PHASES = [
  'not started',
  /** About to schedule the charged activity under its ordinal. */
  'sending',
  'calling',
  /** Its activity did not come back, or the row changed: it asks the resolver. */
  'asking the ledger',
  /** The door is closed and the row undecided: it looks for free evidence. */
  'looking for evidence',
  'parked: unknown-charge',
  'parked: charged-lost',
  /** An equal call of the other flow is open. */
  'waiting for the other flow',
  'parked on the other flow',
  /** Its answer is only in a spool. */
  'waiting for the spool',
  'polling',
  /** The ledger may have forgotten calls: nothing is sent. */
  'held: ledger',
  'ended: done',
  'ended: failed',
  /** Terminated, or nobody came for thirty days. */
  'ended: gave up',
  /** It would send more often than the model follows. */
  'ended: bound',
] as const;
export type Phase = (typeof PHASES)[number];

export interface FlowState {
  readonly phase: Phase;
  readonly ordinal: number;
  /** Token of the intent id that it knows under this ordinal; 0: none. */
  readonly knows: number;
  /** It knows that the service accepted that call, and the request id. */
  readonly knowsRequest: boolean;
  /** The call whose row it waits for (parked, polling); -1: none. */
  readonly about: number;
  /** Call of the other flow whose answer it will take; -1: none. */
  readonly join: number;
  /** The activity was scheduled in the first life of the database. */
  readonly inFirstLife: boolean;
}

/** Progress of the body of a charged activity. An answer is `spooled` before its row is settled, or `booked` after it. */
export const STEPS = ['begun', 'opened', 'journalled', 'sent', 'answered', 'spooled', 'booked', 'settled'] as const;
export type Step = (typeof STEPS)[number];

/** What a body knows of the answer: the service's own, a broken connection, or that nothing was sent. */
export const ANSWERS = ['none', 'told', 'broken', 'unsent'] as const;
export type Answer = (typeof ANSWERS)[number];

export interface Body {
  readonly ordinal: number;
  /** Its intent id consists of the call and this token. */
  readonly token: number;
  readonly worker: WorkerName;
  readonly step: Step;
  readonly answer: Answer;
  /** The flow waits for it. */
  readonly awaited: boolean;
  /** It began longer ago than a request may be written (10 s). */
  readonly old: boolean;
  /** Whether this is a second delivery: Temporal counts attempt 2. */
  readonly again: boolean;
  /** It began before the database got its new life. */
  readonly begunInFirstLife: boolean;
}

/** How the service has handled a request. From `answered` on it is charged unless the name says otherwise. */
export const DEALINGS = [
  'none',
  'received',
  'answered',
  'accepted',
  'finished',
  'forgotten',
  'refused',
  'garbled',
  'accepted, 500',
  'finished, 500',
  'not charged, 500',
] as const;
export type Dealing = (typeof DEALINGS)[number];

/** What the journal of a worker says of a call: that it was about to be sent, or what came back. */
export const ENTRIES = ['none', 'sent', 'told', 'broken', 'unsent'] as const;
export type Entry = (typeof ENTRIES)[number];

export interface CallState {
  /** Number of the row in the book of rows; 0: there is none. */
  readonly row: number;
  readonly dealing: Dealing;
  readonly entry: Entry;
  readonly entryOf: number;
  readonly entryAt: WorkerName;
  /** The answer lies in the spool beside the journal. */
  readonly spooled: boolean;
  /** A person said `not-charged` although it was charged: that person is responsible for every further charge. */
  readonly excused: boolean;
  /** Its answer was given up, or a person declared it lost for good: a call of another flow is a separate purchase. */
  readonly over: boolean;
  /** It was answered before the other flow had started. */
  readonly stale: boolean;
  /** No row and no journal knew the call when the hold ended or its flow was reset, or a person deleted its row. */
  readonly unwitnessed: boolean;
}

export interface State {
  readonly world: number;
  /** Mishaps that may still happen. */
  readonly mishaps: number;
  /** False once the database was restored or has failed over: it then has its second life. */
  readonly firstLife: boolean;
  /** Nothing is sent until every journal has been heard. */
  readonly held: boolean;
  readonly heard: readonly [boolean, boolean];
  readonly diskLost: readonly [boolean, boolean];
  readonly flows: readonly [FlowState, FlowState];
  /** {@link BODIES} places per flow. */
  readonly bodies: readonly (Body | undefined)[];
  readonly calls: readonly CallState[];
}

/** `step`: what happens by itself or by a person. `mishap`: a failure; their number in one course is limited. */
export type MoveKind = 'step' | 'mishap';

export interface Move {
  readonly kind: MoveKind;
  readonly says: string;
  readonly next: State;
}

export function callOf(flow: number, ordinal: number): number {
  return flow * ORDINALS + ordinal - 1;
}

export function flowOf(call: number): FlowName {
  return call < ORDINALS ? 0 : 1;
}

export function ordinalOf(call: number): number {
  return (call % ORDINALS) + 1;
}

export function flowTitle(flow: number): string {
  return flow === 0 ? 'flow A' : 'flow B';
}

export function callTitle(call: number): string {
  return `${flowOf(call) === 0 ? 'A' : 'B'}#${ordinalOf(call)}`;
}

const CHARGED: readonly Dealing[] = [
  'answered',
  'accepted',
  'finished',
  'forgotten',
  'garbled',
  'accepted, 500',
  'finished, 500',
];

export function isPaid({ dealing }: CallState): boolean {
  return CHARGED.includes(dealing);
}

/** Charged, or still at the service: `not-charged` is wrong now, or comes too early. */
export function mayBePaid(call: CallState): boolean {
  return call.dealing === 'received' || isPaid(call);
}

export function hasEnded({ phase }: FlowState): boolean {
  return phase.startsWith('ended');
}
