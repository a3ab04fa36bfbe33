/** Encodes a state as eight 32-bit words, and decodes it. */
import {
  ANSWERS,
  DEALINGS,
  ENTRIES,
  PHASES,
  STEPS,
  type Body,
  type CallState,
  type FlowState,
  type State,
  type WorkerName,
} from './words.js';

export const WORDS = 8;

/** A row number has twelve bits: higher bits would be cut off silently. */
const MOST_ROWS = 4_095;

export function encode(state: State, into: Uint32Array): void {
  state.calls.forEach((call, index) => (into[index] = encodeCall(call)));
  const [a, b, c, d] = state.bodies.map(encodeBody);
  into[4] = ((a ?? 0) << 16) | (b ?? 0);
  into[5] = ((c ?? 0) << 16) | (d ?? 0);
  into[6] = (encodeFlow(state.flows[0]) << 13) | encodeWorld(state);
  into[7] = encodeFlow(state.flows[1]);
}

export function decode(from: Uint32Array, at: number): State {
  const word = (index: number): number => from[at + index] ?? 0;
  const world = word(6) & 0x1fff;
  return {
    world: world & 3,
    mishaps: (world >> 2) & 7,
    firstLife: bit(world, 5),
    held: bit(world, 6),
    heard: [bit(world, 7), bit(world, 8)],
    diskLost: [bit(world, 9), bit(world, 10)],
    flows: [decodeFlow(word(6) >>> 13), decodeFlow(word(7))],
    bodies: [word(4) >>> 16, word(4) & 0xffff, word(5) >>> 16, word(5) & 0xffff].map(decodeBody),
    calls: [0, 1, 2, 3].map((call) => decodeCall(word(call))),
  };
}

function encodeWorld(state: State): number {
  const flags = [state.firstLife, state.held, ...state.heard, ...state.diskLost];
  return flags.reduce((sum, flag, index) => sum | (Number(flag) << (index + 5)), state.world | (state.mishaps << 2));
}

function encodeFlow(flow: FlowState): number {
  const { phase, ordinal, knows, knowsRequest, about, join, inFirstLife } = flow;
  return (
    PHASES.indexOf(phase) |
    (ordinal << 4) |
    (Number(knowsRequest) << 6) |
    (Number(inFirstLife) << 7) |
    (knows << 8) |
    ((about + 1) << 11) |
    ((join + 1) << 14)
  );
}

function decodeFlow(word: number): FlowState {
  return {
    phase: PHASES[word & 15] ?? 'not started',
    ordinal: (word >> 4) & 3,
    knowsRequest: bit(word, 6),
    inFirstLife: bit(word, 7),
    knows: (word >> 8) & 7,
    about: ((word >> 11) & 7) - 1,
    join: ((word >> 14) & 7) - 1,
  };
}

function encodeBody(body: Body | undefined): number {
  if (body === undefined) return 0;
  const flags = [body.awaited, body.old, body.again, body.begunInFirstLife];
  return flags.reduce(
    (sum, flag, index) => sum | (Number(flag) << (index + 11)),
    body.ordinal |
      (body.token << 2) |
      (body.worker << 5) |
      (STEPS.indexOf(body.step) << 6) |
      (ANSWERS.indexOf(body.answer) << 9),
  );
}

function decodeBody(word: number): Body | undefined {
  if (word === 0) return undefined;
  return {
    ordinal: word & 3,
    token: (word >> 2) & 7,
    worker: ((word >> 5) & 1) as WorkerName,
    step: STEPS[(word >> 6) & 7] ?? 'begun',
    answer: ANSWERS[(word >> 9) & 3] ?? 'none',
    awaited: bit(word, 11),
    old: bit(word, 12),
    again: bit(word, 13),
    begunInFirstLife: bit(word, 14),
  };
}

function encodeCall(call: CallState): number {
  if (call.row > MOST_ROWS) throw new Error(`tramita: the model has more than ${MOST_ROWS} different rows`);
  const flags = [call.spooled, call.excused, call.over, call.stale, call.unwitnessed];
  return flags.reduce(
    (sum, flag, index) => sum | (Number(flag) << (index + 23)),
    call.row |
      (DEALINGS.indexOf(call.dealing) << 12) |
      (ENTRIES.indexOf(call.entry) << 16) |
      (call.entryOf << 19) |
      (call.entryAt << 22),
  );
}

function decodeCall(word: number): CallState {
  return {
    row: word & MOST_ROWS,
    dealing: DEALINGS[(word >> 12) & 15] ?? 'none',
    entry: ENTRIES[(word >> 16) & 7] ?? 'none',
    entryOf: (word >> 19) & 7,
    entryAt: ((word >> 22) & 1) as WorkerName,
    spooled: bit(word, 23),
    excused: bit(word, 24),
    over: bit(word, 25),
    stale: bit(word, 26),
    unwitnessed: bit(word, 27),
  };
}

function bit(word: number, at: number): boolean {
  return ((word >> at) & 1) === 1;
}
