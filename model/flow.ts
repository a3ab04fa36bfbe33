/** How a flow handles each result: the table of its charged step, as the workflow code has it. */
import { decideRejection } from '../src/workflows/step/decide-rejection.js';
import type { CallOutcome, ChargedCallResult } from '../src/protocol/index.js';
import { withFlow } from './change.js';
import { callOfId, intentIdOf, tokenOfId } from './rows.js';
import { ORDINALS, type FlowState, type Phase, type State } from './words.js';

const FRESH = { knows: 0, knowsRequest: false, about: -1 } as const;

/** Handles the result of a charged activity, of a poll, or of reading a row. */
export function tell(state: State, flow: 0 | 1, result: ChargedCallResult): State {
  const facts = 'intentId' in result ? knowing(result) : {};
  switch (result.outcome) {
    case 'DONE':
      return inPhase(state, flow, 'ended: done');
    case 'PENDING':
      return withFlow(state, flow, { ...facts, phase: 'polling' });
    case 'REJECTED': {
      const tries = state.flows[flow].ordinal;
      const next = decideRejection(result, { tries, paid: false });
      return next.then === 'send again' ? nextOrdinal(state, flow) : inPhase(state, flow, 'ended: failed');
    }
    case 'NOT_SENT': {
      const join = result.reused && result.intentId !== undefined ? { join: callOfId(result.intentId) } : {};
      return nextOrdinal(withFlow(state, flow, join), flow);
    }
    case 'UNKNOWN':
    case 'CHARGED_LOST':
      if (result.decided === true) return inPhase(state, flow, 'ended: failed');
      return withFlow(state, flow, { ...facts, phase: result.settled ? 'asking the ledger' : 'waiting for the spool' });
    case 'REFUSED':
      return inPhase(state, flow, 'ended: failed');
    case 'HELD':
      return whileHeld(state, flow, result);
  }
}

/** Handles the resolver's result: the flow parks when the result is undecided. */
export function tellResolved(state: State, flow: 0 | 1, outcome: CallOutcome): State {
  const undecided = (outcome.outcome === 'UNKNOWN' || outcome.outcome === 'CHARGED_LOST') && outcome.decided !== true;
  if (!undecided) return tell(state, flow, outcome);
  const lost = outcome.outcome === 'CHARGED_LOST';
  return withFlow(state, flow, {
    ...knowing(outcome),
    phase: lost ? 'parked: charged-lost' : 'parked: unknown-charge',
  });
}

/** Its activity did not come back: the flow does not know whether the call was sent. */
export function lose(state: State, flow: 0 | 1): State {
  return withFlow(state, flow, { ...FRESH, phase: 'asking the ledger' });
}

export function nextOrdinal(state: State, flow: 0 | 1): State {
  const ordinal = state.flows[flow].ordinal + 1;
  if (ordinal > ORDINALS) return inPhase(state, flow, 'ended: bound');
  return withFlow(state, flow, { ...FRESH, ordinal, phase: 'sending' });
}

/** Nothing was sent: the flow asks again under the same ordinal. */
export function sendAgain(state: State, flow: 0 | 1): State {
  return withFlow(state, flow, { ...FRESH, phase: 'sending' });
}

/** An ended flow keeps nothing that could matter. */
export function inPhase(state: State, flow: 0 | 1, phase: Phase): State {
  const forgets = phase.startsWith('ended') ? { ...FRESH, join: -1, inFirstLife: true } : {};
  return withFlow(state, flow, { ...forgets, phase });
}

/** The id of the row that the flow knows. */
export function knownId({ about, knows }: FlowState): string | undefined {
  return about < 0 || knows === 0 ? undefined : intentIdOf(about, knows);
}

function knowing(result: { readonly intentId?: string; readonly requestId?: string }): Partial<FlowState> {
  const { intentId, requestId } = result;
  if (intentId === undefined) return {};
  return {
    about: callOfId(intentId),
    knows: tokenOfId(intentId),
    ...(requestId === undefined ? {} : { knowsRequest: true }),
  };
}

function whileHeld(state: State, flow: 0 | 1, held: Extract<ChargedCallResult, { outcome: 'HELD' }>): State {
  switch (held.because) {
    case 'open elsewhere':
      return withFlow(state, flow, { ...FRESH, phase: 'waiting for the other flow', join: callOfId(held.intentId) });
    case 'unknown elsewhere':
      return withFlow(state, flow, {
        ...knowing(held),
        phase: 'parked on the other flow',
        join: callOfId(held.intentId),
      });
    default:
      return withFlow(state, flow, { ...FRESH, phase: 'held: ledger' });
  }
}
