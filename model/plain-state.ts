/** Drops from a state everything that will not be read any more, so that states without a relevant difference are equal. */
import { BODIES, callOf, type Body, type CallState, type State } from './words.js';

/** A worker's journal is read when the database has lost something: now, or in a mishap that may still come. */
function mayLookBack(state: State, worker: 0 | 1): boolean {
  return state.mishaps > 0 || (state.held && !state.heard[worker]);
}

export function plainState(state: State): State {
  if (state.mishaps > 0) return state;
  const bodies = state.bodies.map((body) => (body === undefined ? body : plainBody(state, body)));
  const calls = state.calls.map((call, index) => plainCall(state, call, index));
  if (state.held) return { ...state, bodies, calls };
  return { ...state, heard: [false, false], diskLost: [false, false], bodies, calls };
}

function plainBody(state: State, body: Body): Body {
  if (mayLookBack(state, body.worker)) return body;
  // The workers are interchangeable.
  return { ...body, worker: state.held ? body.worker : 0, begunInFirstLife: true };
}

function plainCall(state: State, call: CallState, index: number): CallState {
  if (call.entry === 'none' || mayLookBack(state, call.entryAt)) return call;
  if (call.spooled || hasBody(state, index)) return { ...call, entryAt: state.held ? call.entryAt : 0 };
  return { ...call, entry: 'none', entryOf: 0, entryAt: 0 };
}

function hasBody(state: State, call: number): boolean {
  return state.bodies.some(
    (body, place) => body !== undefined && callOf(Math.floor(place / BODIES), body.ordinal) === call,
  );
}
