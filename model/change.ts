/** Copies of states with changed members. */
import type { Body, CallState, FlowState, State } from './words.js';

export function withFlow(state: State, flow: number, change: Partial<FlowState>): State {
  const [a, b] = state.flows;
  return { ...state, flows: flow === 0 ? [{ ...a, ...change }, b] : [a, { ...b, ...change }] };
}

export function withCall(state: State, call: number, change: Partial<CallState>): State {
  return { ...state, calls: state.calls.map((old, index) => (index === call ? { ...old, ...change } : old)) };
}

export function withBody(state: State, place: number, change: Partial<Body>): State {
  return {
    ...state,
    bodies: state.bodies.map((old, index) => (index === place && old !== undefined ? { ...old, ...change } : old)),
  };
}

export function putBody(state: State, place: number, body: Body | undefined): State {
  return { ...state, bodies: state.bodies.map((old, index) => (index === place ? body : old)) };
}

export function mapBodies(state: State, change: (body: Body, place: number) => Body | undefined): State {
  return { ...state, bodies: state.bodies.map((old, place) => (old === undefined ? undefined : change(old, place))) };
}
