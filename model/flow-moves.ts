/** What a flow does by itself: it starts, sends, asks the ledger, waits, polls. */
import { decideRefresh } from '../src/activities/polling/refresh-proof.js';
import { outcomeOfIntent } from '../src/activities/charged/outcome-of-intent.js';
import { putBody, withFlow } from './change.js';
import { isOn } from './defects.js';
import { evidenceMoves } from './evidence-moves.js';
import { knownId, sendAgain, tell, tellResolved } from './flow.js';
import { findRow, outcomeOf, putRow, settle } from './ledger.js';
import { resolve } from './resolve.js';
import { freeToken } from './tokens.js';
import { NOW_MS, callOfRequest, requestIdOf } from './rows.js';
import { BODIES, CALLS, flowTitle, type Body, type FlowState, type Move, type State } from './words.js';
import { worldOf } from './worlds.js';

export function flowMoves(state: State): readonly Move[] {
  return [...movesOf(state, 0), ...movesOf(state, 1)];
}

function movesOf(state: State, flow: 0 | 1): readonly Move[] {
  const own = state.flows[flow];
  const step = (says: string, next: State): Move => ({ kind: 'step', says: `${flowTitle(flow)}: ${says}`, next });
  switch (own.phase) {
    case 'not started':
      // The flows are alike, so flow A starts first.
      if (flow === 1 && state.flows[0].phase === 'not started') return [];
      return [step('starts', withFlow(state, flow, { phase: 'sending', ordinal: 1 }))];
    case 'sending':
      return workersFor(state).flatMap((worker) => {
        const next = begin(state, flow, worker);
        return next === undefined ? [] : [step(`its call #${own.ordinal} is taken by worker ${worker + 1}`, next)];
      });
    case 'asking the ledger': {
      const resolved = resolve(state, flow);
      return resolved === undefined ? [] : [step(resolved.says, resolved.next)];
    }
    case 'looking for evidence':
      return evidenceMoves(state, flow);
    case 'parked: unknown-charge':
    case 'parked: charged-lost':
      return [step('looks again', withFlow(state, flow, { phase: 'asking the ledger' }))];
    case 'parked on the other flow':
      return [step('asks again', sendAgain(state, flow))];
    case 'waiting for the other flow':
      return [step('asks again', sendAgain(state, flow))];
    case 'held: ledger':
      return state.held ? [] : [step('the hold is over', sendAgain(state, flow))];
    case 'waiting for the spool':
      return readSpooled(state, flow).map((next) => step('reads what became of the answer', next));
    case 'polling':
      return [...poll(state, flow).map(({ says, next }) => step(says, next))];
    default:
      return [];
  }
}

/** The workers are alike until one of them has something, so the first worker goes first. */
function workersFor(state: State): readonly (0 | 1)[] {
  if (state.mishaps === 0 && !state.held) return [0];
  const differ =
    state.bodies.some((body) => body !== undefined) ||
    state.calls.some(({ entry }) => entry !== 'none') ||
    state.diskLost[0] !== state.diskLost[1] ||
    state.heard[0] !== state.heard[1];
  return differ ? [0, 1] : [0];
}

function begin(state: State, flow: 0 | 1, worker: 0 | 1): State | undefined {
  const place = [0, 1].map((index) => flow * BODIES + index).find((index) => state.bodies[index] === undefined);
  const { ordinal } = state.flows[flow];
  if (place === undefined) return undefined;
  const body: Body = {
    ordinal,
    worker,
    token: freeToken(state, flow),
    step: 'begun',
    answer: 'none',
    awaited: true,
    old: false,
    again: false,
    begunInFirstLife: state.firstLife,
  };
  return withFlow(putBody(state, place, body), flow, { phase: 'calling', inFirstLife: state.firstLife });
}

/** Models the free activity that waits until the worker with the spool has settled the row. */
function readSpooled(state: State, flow: 0 | 1): readonly State[] {
  const id = knownId(state.flows[flow]);
  const row = id === undefined ? undefined : findRow(state, id);
  if (row === undefined) return [withFlow(state, flow, { phase: 'asking the ledger' })];
  if (row.asked.intent.state === 'open') return [];
  return [tell(state, flow, outcomeOf(state, row.asked.intent))];
}

interface Polled {
  readonly says: string;
  readonly next: State;
}

function poll(state: State, flow: 0 | 1): readonly Polled[] {
  const own: FlowState = state.flows[flow];
  const id = knownId(own);
  const row = id === undefined ? undefined : findRow(state, id);
  if (row === undefined)
    return [{ says: 'its row is gone', next: withFlow(state, flow, { phase: 'asking the ledger' }) }];
  const { asked, root, rootCall } = row;
  if (root.intent.state !== 'pending') {
    if (root.intent.state === 'open') return [];
    return [{ says: 'its row has moved', next: tell(state, flow, outcomeOf(state, asked.intent)) }];
  }
  const { requestId } = root.intent;
  const ends = requestId === null ? Array.from({ length: CALLS }, (_, call) => call) : [callOfRequest(requestId)];
  const found = ends.filter((call) => proves(state, call, root.intent));
  if (found.length > 0)
    return found.map(() => ({ says: 'its work has ended', next: conclude(state, flow, asked.intent.intentId) }));
  const dealing = state.calls[requestId === null ? rootCall : callOfRequest(requestId)]?.dealing;
  const alive =
    requestId !== null && ['accepted', 'finished', 'accepted, 500', 'finished, 500'].includes(dealing ?? '');
  if (alive) return [];
  const says = requestId === null ? 'a round of polls proves nothing' : 'the service has forgotten its request';
  if (isOn('a forgotten request was not charged') && requestId !== null) {
    const intent = { ...root.intent, state: 'not_sent' as const };
    return [
      { says, next: tell(putRow(state, rootCall, { ...root, intent }), flow, outcomeOfIntent(intent, plain(intent))) },
    ];
  }
  const after = settle(state, asked.intent.intentId, { state: 'unknown', reason: says });
  return after === undefined ? [] : [{ says, next: withFlow(after, flow, { phase: 'asking the ledger' }) }];
}

function plain(source: Parameters<typeof outcomeOfIntent>[0]) {
  return { source, plan: { hintMs: null, webhookExpected: false, patienceMs: 0, eventSeen: false } };
}

/** Whether its own request has ended; for a refresh, the record of the case proves it. */
function proves(state: State, call: number, intent: Parameters<typeof decideRefresh>[1]): boolean {
  const dealing = state.calls[call]?.dealing;
  if (dealing !== 'finished' && dealing !== 'finished, 500') return false;
  if (!worldOf(state).byStatus) return intent.requestId !== null;
  const record = { state: 'done', requestId: requestIdOf(call), timeMs: NOW_MS + 60_000 } as unknown;
  return decideRefresh(record as Parameters<typeof decideRefresh>[0], intent).finished;
}

function conclude(state: State, flow: 0 | 1, intentId: string): State {
  const after = settle(state, intentId, { state: 'done', httpStatus: 200, finalState: 'done' }) ?? state;
  const row = findRow(after, intentId);
  return row === undefined ? after : tellResolved(after, flow, outcomeOf(after, row.asked.intent));
}
