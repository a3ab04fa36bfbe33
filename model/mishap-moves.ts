/** Failures: workers die and freeze, deliveries repeat, disks and databases lose data. */
import { mapBodies, putBody, withBody, withCall, withFlow } from './change.js';
import { isOn } from './defects.js';
import { hasEnded } from './words.js';
import { inPhase, knownId, lose, nextOrdinal } from './flow.js';
import { endHoldWhenHeard, markUnwitnessed } from './keeper-moves.js';
import { openRow } from './open.js';
import { callOfId, numberOf, rowAt, tokenOfId } from './rows.js';
import { freeToken } from './tokens.js';
import { BODIES, CALLS, callTitle, flowOf, flowTitle, type Body, type Move, type State } from './words.js';

export function mishapMoves(state: State): readonly Move[] {
  if (state.mishaps === 0) return [];
  const left = { ...state, mishaps: state.mishaps - 1 };
  const both = [0, 1] as const;
  return [
    ...both.flatMap((worker) => [...crash(left, worker), ...loseDisk(left, worker)]),
    ...left.bodies.flatMap((body, place) => (body === undefined ? [] : freeze(left, place, body))),
    ...both.flatMap((flow) => [...deliverAgain(left, flow), ...reset(left, flow), ...terminate(left, flow)]),
    ...newLife(left),
    ...deleteRow(left),
  ].map(([says, next]) => ({ kind: 'mishap', says, next }));
}

type Mishap = readonly [says: string, next: State];

function crash(state: State, worker: 0 | 1): readonly Mishap[] {
  return state.bodies.some((body) => body?.worker === worker)
    ? [[`worker ${worker + 1}: is killed`, killed(state, worker)]]
    : [];
}

function killed(state: State, worker: 0 | 1): State {
  let next = state;
  state.bodies.forEach((body, place) => {
    if (body?.worker !== worker) return;
    next = putBody(next, place, undefined);
    if (body.awaited) next = lost(next, flowAt(place));
  });
  return next;
}

/** The server reports to the flow that its activity did not come back. */
function lost(state: State, flow: 0 | 1): State {
  return isOn('the next ordinal needs no closed one') ? nextOrdinal(state, flow) : lose(state, flow);
}

function freeze(state: State, place: number, body: Body): readonly Mishap[] {
  if (!body.awaited) return [];
  const flow = flowAt(place);
  const says = `worker ${body.worker + 1}: stands still in ${flowTitle(flow)}'s call (${body.step}), which times out`;
  return [[says, lost(withBody(state, place, { awaited: false, old: true }), flow)]];
}

function loseDisk(state: State, worker: 0 | 1): readonly Mishap[] {
  if (state.diskLost[worker] || state.calls.every(({ entry, entryAt }) => entry === 'none' || entryAt !== worker))
    return [];
  const dead = killed(state, worker);
  const calls = dead.calls.map((call) =>
    call.entryAt === worker
      ? { ...call, entry: 'none' as const, entryOf: 0, entryAt: 0 as const, spooled: false }
      : call,
  );
  const diskLost: State['diskLost'] = worker === 0 ? [true, state.diskLost[1]] : [state.diskLost[0], true];
  return [[`worker ${worker + 1}: is killed and its disk is lost`, { ...dead, calls, diskLost }]];
}

/** An operator raises the number of attempts, or the server delivers the task twice. */
function deliverAgain(state: State, flow: 0 | 1): readonly Mishap[] {
  const places = [0, 1].map((index) => flow * BODIES + index);
  const first = places.find((place) => state.bodies[place]?.awaited === true);
  const free = places.find((place) => state.bodies[place] === undefined);
  const body = first === undefined ? undefined : state.bodies[first];
  if (first === undefined || free === undefined || body === undefined) return [];
  const token = freeToken(state, flow);
  const second: Body = {
    ...body,
    token,
    worker: body.worker === 0 ? 1 : 0,
    step: 'begun',
    answer: 'none',
    old: false,
    again: true,
    begunInFirstLife: state.firstLife,
  };
  return [
    [
      `${flowTitle(flow)}: its call is delivered a second time`,
      putBody(withBody(state, first, { awaited: false }), free, second),
    ],
  ];
}

/** The run starts again from its beginning and forgets all results. */
function reset(state: State, flow: 0 | 1): readonly Mishap[] {
  if (state.flows[flow].phase === 'not started') return [];
  const orphaned = mapBodies(state, (body, place) => (flowAt(place) === flow ? { ...body, awaited: false } : body));
  const forgot = {
    phase: 'sending',
    ordinal: 1,
    knows: 0,
    knowsRequest: false,
    about: -1,
    join: -1,
    inFirstLife: true,
  } as const;
  const unseen = state.calls.map((call, index) =>
    // What only the flow's memory knew is lost with it.
    flowOf(index) === flow && call.row === 0
      ? markUnwitnessed({ ...state, calls: [{ ...call, entry: 'none' }] }).calls[0]
      : undefined,
  );
  const calls = orphaned.calls.map((call, index) => ({
    ...call,
    unwitnessed: call.unwitnessed || unseen[index]?.unwitnessed === true,
  }));
  return [[`${flowTitle(flow)}: is reset to its beginning`, withFlow({ ...orphaned, calls }, flow, forgot)]];
}

function terminate(state: State, flow: 0 | 1): readonly Mishap[] {
  const own = state.flows[flow];
  if (own.phase === 'not started' || hasEnded(own)) return [];
  const orphaned = mapBodies(state, (body, place) => (flowAt(place) === flow ? { ...body, awaited: false } : body));
  return [
    [`${flowTitle(flow)}: is terminated, or nobody came for thirty days`, inPhase(orphaned, flow, 'ended: gave up')],
  ];
}

/** A fail-over or a restore: each row stays as it is, goes back to how it was opened, or disappears. */
function newLife(state: State): readonly Mishap[] {
  if (!state.firstLife) return [];
  const present = Array.from({ length: CALLS }, (_, call) => call).filter((call) => state.calls[call]?.row !== 0);
  const heard: State['heard'] = [hasNothingToTell(state, 0), hasNothingToTell(state, 1)];
  let fates: readonly State[] = [{ ...state, firstLife: false, held: true, heard }];
  for (const call of present) {
    fates = fates.flatMap((fate) => [fate, ...earlier(fate, call), withCall(fate, call, { row: 0 })]);
  }
  const possible = fates.map((fate) => withoutOrphans(state, fate));
  return possible.map(endHoldWhenHeard).map((next) => {
    const changes = present.map((call) => {
      const before = state.calls[call]?.row;
      const after = next.calls[call]?.row;
      return before === after ? '' : ` ${callTitle(call)} is ${after === 0 ? 'gone' : 'as it was opened'}.`;
    });
    return [`database: an earlier state is restored.${changes.join('')}`, next];
  });
}

/** Whether the worker has done nothing; its journal then counts as heard at once. */
function hasNothingToTell(state: State, worker: 0 | 1): boolean {
  const hasEntry = state.calls.some(({ entry, entryAt }) => entry !== 'none' && entryAt === worker);
  return !state.diskLost[worker] && !hasEntry && state.bodies.every((body) => body?.worker !== worker);
}

/** A copy is younger than its original: it disappears when the original goes back to an older state. */
function withoutOrphans(before: State, fate: State): State {
  const calls = fate.calls.map((call, index) => {
    const joined = rowAt(fate, index)?.intent.joined ?? null;
    const root = joined === null ? index : callOfId(joined);
    return before.calls[root]?.row === fate.calls[root]?.row ? call : { ...call, row: root === index ? call.row : 0 };
  });
  return { ...fate, calls };
}

function earlier(state: State, call: number): readonly State[] {
  const row = rowAt(state, call);
  const wasOpen = row !== undefined && row.intent.joined === null && row.attemptToken !== null;
  if (!wasOpen || row.intent.state === 'open') return [];
  return [withCall(state, call, { row: numberOf(openRow(state, call, tokenOfId(row.intent.intentId))) })];
}

/** A person deletes a row, in the same life. Only a row that its flow knows: otherwise only a journal could show that it existed. */
function deleteRow(state: State): readonly Mishap[] {
  return state.calls.flatMap(({ row }, call) => {
    const id = rowAt(state, call)?.intent.intentId;
    if (row === 0 || id === undefined || knownId(state.flows[flowOf(call)]) !== id) return [];
    return [
      [
        `stranger: deletes the row of ${callTitle(call)}`,
        withCall(state, call, { row: 0, unwitnessed: true }),
      ] as const,
    ];
  });
}

function flowAt(place: number): 0 | 1 {
  return place < BODIES ? 0 : 1;
}
