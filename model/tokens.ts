/** Bodies of one call and their tokens: which are free, which a server awaits, which are too old. */
import { mapBodies } from './change.js';
import { rowAt, tokenOfId } from './rows.js';
import { BODIES, callOf, type State } from './words.js';

/** The smallest token that is stored nowhere: ids are never used twice. */
export function freeToken(state: State, flow: 0 | 1): number {
  const { ordinal } = state.flows[flow];
  const call = callOf(flow, ordinal);
  const rowId = rowAt(state, call)?.intent.intentId;
  const used = [
    rowId === undefined ? 0 : tokenOfId(rowId),
    state.calls[call]?.entryOf ?? 0,
    ...state.bodies
      .slice(flow * BODIES, flow * BODIES + BODIES)
      .map((body) => (body?.ordinal === ordinal ? body.token : 0)),
  ];
  return [1, 2, 3, 4, 5].find((token) => !used.includes(token)) ?? 6;
}

/** After sixty-five seconds the attempt that opened this row is too old to send. */
export function letTimePass(state: State, call: number, token: number): State {
  return mapBodies(state, (body, place) =>
    callOf(Math.floor(place / BODIES), body.ordinal) === call && body.token === token && !body.old
      ? { ...body, old: true }
      : body,
  );
}

/** The server still waits for the attempt, so it is younger than a minute. */
export function isAwaited(state: State, call: number, token: number): boolean {
  return state.bodies.some(
    (body, place) =>
      body?.awaited === true && callOf(Math.floor(place / BODIES), body.ordinal) === call && body.token === token,
  );
}
