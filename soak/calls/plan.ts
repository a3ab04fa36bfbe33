/**
 * The mixed plan: charged operations × faults, by seed. Every call has arguments of its own, so that the charge book says of
 * each how often it was paid. Pure.
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
  /** Armed for its operation just before it starts; undefined for the share without faults. */
  readonly fault?: PlannedFault;
}

/** As it is armed: `operation` is the one whose next request meets it, the call itself or its poll. */
type PlannedFault = Fault & { readonly operation: string };

type Fault = FaultRow['fault'];

/** Short ones, so that thousands fit: the client's own deadlines have tests. */
const CALL_FAULTS: readonly Fault[] = [
  ...shortFaults('call'),
  { fault: 'F0', ms: 300 },
  { fault: 'F10', times: 1 },
  { fault: 'F13', bytes: 25_000_000, times: 1 },
];
const POLL_FAULTS: readonly Fault[] = shortFaults('poll');
/** One call in so many goes without a fault: the ok-rate is measured on them. */
const WITHOUT_FAULT = 8;
/** One fault in so many is for the poll, where there is one. */
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
  // A refused connection has no operation.
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
