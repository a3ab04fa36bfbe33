/**
 * Breadth-first search over all reachable states, so that the first trace to a broken promise is a shortest one. Then
 * backwards: from every state both flows must be able to end without another mishap and without waiting thirty days.
 */
import { decode, encode, WORDS } from './encode.js';
import { firstState, movesFrom } from './moves.js';
import { brokenBy } from './promises.js';
import { createSeenStates, type SeenStates } from './seen-states.js';
import { findStuck } from './ways-on.js';
import { hasEnded, type State } from './words.js';

export interface Order {
  readonly worlds: readonly number[];
  readonly mishaps: number;
  /** Stops after this many moves from the start. */
  readonly depth?: number;
  /** Called from time to time. */
  readonly onProgress?: (states: number, depth: number) => void;
}

export interface Explored {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  /** Whether the search has reached every reachable state. */
  readonly whole: boolean;
  readonly broken?: { readonly promise: string; readonly trace: readonly string[] };
}

const REPORT_EVERY = 100_000;

export function explore(order: Order): Explored {
  const seen = createSeenStates();
  const parents = growing();
  const edges = { targets: growing(), starts: growing(), ends: growing() };
  const words = new Uint32Array(WORDS);
  const add = (state: State, parent: number): number => {
    encode(state, words);
    const { index, isNew } = seen.add(words);
    if (isNew) parents.set(index, parent);
    return index;
  };
  for (const world of order.worlds) add(firstState(world, order.mishaps), -1);
  let transitions = 0;
  let depth = 0;
  let levelEnd = seen.size();
  for (let index = 0; index < seen.size(); index += 1) {
    if (index === levelEnd) {
      depth += 1;
      levelEnd = seen.size();
      if (order.depth !== undefined && depth >= order.depth) break;
    }
    const state = decode(seen.words(), index * WORDS);
    edges.starts.set(index, edges.targets.length());
    edges.ends.set(index, Number(state.flows.every(hasEnded)));
    for (const { kind, says, next } of movesFrom(state)) {
      transitions += 1;
      const promise = brokenBy(state, next);
      if (promise !== undefined) {
        const trace = [...traceTo(seen, parents.view(), index), says];
        return { states: seen.size(), transitions, depth, whole: false, broken: { promise, trace } };
      }
      const target = add(next, index);
      if (kind === 'step') edges.targets.set(edges.targets.length(), target);
    }
    if (index % REPORT_EVERY === REPORT_EVERY - 1) order.onProgress?.(seen.size(), depth);
  }
  const figures = { states: seen.size(), transitions, depth, whole: edges.starts.length() === seen.size() };
  if (!figures.whole) return figures;
  edges.starts.set(seen.size(), edges.targets.length());
  const stuck = findStuck({ targets: edges.targets.view(), starts: edges.starts.view(), ends: edges.ends.view() });
  if (stuck === undefined) return figures;
  const trace = traceTo(seen, parents.view(), stuck);
  return { ...figures, broken: { promise: 'there is no way on from here', trace } };
}

/** The moves from the first state. Each is found again among the moves of its parent state. */
function traceTo(seen: SeenStates, parents: Int32Array, index: number): readonly string[] {
  const trace: string[] = [];
  const words = new Uint32Array(WORDS);
  for (let at = index, parent = parents[at] ?? -1; parent >= 0; at = parent, parent = parents[at] ?? -1) {
    const found = movesFrom(decode(seen.words(), parent * WORDS)).find(({ next }) => {
      encode(next, words);
      return words.every((word, place) => word === seen.words()[at * WORDS + place]);
    });
    trace.unshift(found?.says ?? '?');
  }
  return trace;
}

interface Growing {
  readonly set: (index: number, value: number) => void;
  readonly length: () => number;
  readonly view: () => Int32Array;
}

function growing(): Growing {
  let values = new Int32Array(1 << 16);
  let length = 0;
  return {
    set: (index, value) => {
      if (index >= values.length) {
        const wider = new Int32Array(values.length * 2);
        wider.set(values);
        values = wider;
      }
      values[index] = value;
      length = Math.max(length, index + 1);
    },
    length: () => length,
    view: () => values.subarray(0, length),
  };
}
