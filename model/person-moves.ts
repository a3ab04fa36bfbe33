/** A person: decides about a parked charge, rightly or wrongly, and may release the hold without a worker. */
import type { ChargeDecision } from '../src/protocol/index.js';
import { withFlow } from './change.js';
import { inPhase, knownId, nextOrdinal, sendAgain } from './flow.js';
import { decide, findRow } from './ledger.js';
import { requestIdOf } from './rows.js';
import { flowTitle, mayBePaid, type FlowState, type Move, type State } from './words.js';
import { worldOf } from './worlds.js';

export function personMoves(state: State): readonly Move[] {
  return [...decisions(state, 0), ...decisions(state, 1), ...goOnWithout(state)];
}

interface Choice {
  readonly decision: ChargeDecision;
  readonly requestId?: string;
}

function decisions(state: State, flow: 0 | 1): readonly Move[] {
  const own = state.flows[flow];
  const { phase } = own;
  const id = knownId(own);
  if (id === undefined || !phase.startsWith('parked')) return [];
  const row = findRow(state, id);
  if (row === undefined) return [];
  const call = state.calls[row.rootCall];
  const known = call !== undefined && ['accepted', 'finished', 'accepted, 500', 'finished, 500'].includes(call.dealing);
  const choices: readonly Choice[] = [
    { decision: 'not-charged' },
    { decision: 'abandon' },
    ...(known ? [{ decision: 'charged' as const, requestId: requestIdOf(row.rootCall) }] : []),
    // About a charge that is known (`charged-lost`), `charged` needs the request id, unless the case's status shows the work.
    ...(phase === 'parked: charged-lost' && !worldOf(state).byStatus ? [] : [{ decision: 'charged' as const }]),
  ];
  return choices.flatMap((choice) => {
    const decided = decide(state, id, choice);
    if (decided === undefined) return [];
    const wrong = choice.decision === 'not-charged' && call !== undefined && mayBePaid(call) ? ' (WRONGLY)' : '';
    const withId = choice.requestId === undefined ? '' : ' with its request id';
    const says = `person, in ${flowTitle(flow)}: ${choice.decision}${withId}${wrong}`;
    return [{ kind: 'step' as const, says, next: after(decided, flow, { own, choice }) }];
  });
}

function after(
  state: State,
  flow: 0 | 1,
  { own, choice }: { readonly own: FlowState; readonly choice: Choice },
): State {
  if (choice.decision === 'abandon') return inPhase(state, flow, 'ended: failed');
  if (own.phase === 'parked on the other flow') return sendAgain(state, flow);
  if (choice.decision === 'not-charged') return nextOrdinal(state, flow);
  if (choice.requestId !== undefined) return withFlow(state, flow, { phase: 'polling', knowsRequest: true });
  return worldOf(state).byStatus ? withFlow(state, flow, { phase: 'polling' }) : inPhase(state, flow, 'ended: failed');
}

/** A person dismisses a lost journal, so nobody waits for it. What its worker has written since then must still be heard. */
function goOnWithout(state: State): readonly Move[] {
  if (!state.held) return [];
  return ([0, 1] as const).flatMap((worker) => {
    if (state.heard[worker] || !state.diskLost[worker]) return [];
    const diskLost: State['diskLost'] = worker === 0 ? [false, state.diskLost[1]] : [state.diskLost[0], false];
    const says = `person: reconcile --without the lost journal of worker ${worker + 1}`;
    return [{ kind: 'step' as const, says, next: { ...state, diskLost } }];
  });
}
