/**
 * The mixed plan: charged operations × faults, by seed. Every call has its own arguments, so that the charge book shows how
 * often each was paid. Pure.
 */
import { operationOf, type JsonObject, type OperationId, type Parameters } from '../../src/contract/index.js';
import type { WorkflowType } from '../../src/protocol/index.js';
import { createRandom, type Random } from '../random.js';
import { PLAIN, type CallArguments } from './arguments.js';
import { FAULT_ROWS, type FaultRow, type Where } from './faults.js';

/** One logical charged call with arguments that no other call has: it may be charged once, whatever happens. */
export interface PlannedCall extends CallArguments {
  readonly n: number;
  readonly operation: OperationId;
  readonly flow: WorkflowType;
  readonly input: JsonObject;
  /** Armed for its operation just before the call starts; undefined for calls without a fault. */
  readonly fault?: PlannedFault;
}

/** The armed fault strikes the next request of `operation`: the call itself, or its poll. */
type PlannedFault = Fault & { readonly operation: string };

type Fault = FaultRow['fault'];

/** Only short ones, so that thousands of calls fit: the client's own deadlines have tests. */
const CALL_FAULTS: readonly Fault[] = [
  ...shortFaults('call'),
  { fault: 'F0', ms: 300 },
  { fault: 'F10', times: 1 },
  { fault: 'F13', bytes: 25_000_000, times: 1 },
];
const POLL_FAULTS: readonly Fault[] = shortFaults('poll');
/** One in this many calls has no fault: the ok-rate is measured on them. */
const WITHOUT_FAULT = 8;
/** One in this many faults strikes the poll, if the call has one. */
const ON_POLL = 10;
const OPERATIONS = Object.keys(PLAIN) as readonly (keyof typeof PLAIN)[];

export function planCalls({ calls, seed }: { readonly calls: number; readonly seed: number }): readonly PlannedCall[] {
  const random = createRandom(seed);
  const first = 1 + (seed % 1_000) * 5_000;
  return Array.from({ length: calls }, (_, index) => planCall(first + index, random));
}

function planCall(n: number, random: Random): PlannedCall {
  const operation = random.pick(OPERATIONS);
  const call: { readonly params: Parameters; readonly body?: JsonObject } = PLAIN[operation](n);
  const isFaultless = random.integer(WITHOUT_FAULT) === 0;
  const onPoll = operationOf(operation).eligible202 && random.integer(ON_POLL) === 0;
  const fault = random.pick(onPoll ? POLL_FAULTS : CALL_FAULTS);
  // A refused connection belongs to no operation.
  const strikes = fault.fault === 'F0' ? '*' : onPoll ? 'getRequest' : operation;
  const isRefresh = operation === 'requestRefresh';
  return {
    n,
    operation,
    ...call,
    flow: isRefresh ? 'refreshCase' : 'callOperation',
    input: isRefresh ? { cnj: String(call.params['cnj']) } : { operation, ...call },
    ...(isFaultless ? {} : { fault: { ...fault, operation: strikes } }),
  };
}

function shortFaults(where: Where): readonly Fault[] {
  return FAULT_ROWS.filter((row) => row.where.includes(where) && row.slow !== true && row.trap !== true).map(
    ({ fault }) => ({ ...fault, times: 1 }),
  );
}
