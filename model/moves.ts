/** Everything that can happen next. */
import { bodyMoves } from './body-moves.js';
import { flowMoves } from './flow-moves.js';
import { keeperMoves } from './keeper-moves.js';
import { mishapMoves } from './mishap-moves.js';
import { personMoves } from './person-moves.js';
import { plainState } from './plain-state.js';
import { serviceMoves } from './service-moves.js';
import { CALLS, hasEnded, type CallState, type FlowState, type Move, type State } from './words.js';

export function movesFrom(state: State): readonly Move[] {
  if (state.flows.every(hasEnded) && state.bodies.every((body) => body === undefined)) return [];
  const moves = [
    ...flowMoves(state),
    ...bodyMoves(state),
    ...serviceMoves(state),
    ...keeperMoves(state),
    ...personMoves(state),
    ...mishapMoves(state),
  ];
  return moves.map((move) => ({ ...move, next: plainState(move.next) }));
}

const FLOW: FlowState = {
  phase: 'not started',
  ordinal: 0,
  knows: 0,
  knowsRequest: false,
  about: -1,
  join: -1,
  inFirstLife: true,
};
const CALL: CallState = {
  row: 0,
  dealing: 'none',
  entry: 'none',
  entryOf: 0,
  entryAt: 0,
  spooled: false,
  excused: false,
  over: false,
  stale: false,
  unwitnessed: false,
};

export function firstState(world: number, mishaps: number): State {
  return {
    world,
    mishaps,
    firstLife: true,
    held: false,
    heard: [false, false],
    diskLost: [false, false],
    flows: [FLOW, FLOW],
    bodies: [undefined, undefined, undefined, undefined],
    calls: Array.from({ length: CALLS }, () => CALL),
  };
}
