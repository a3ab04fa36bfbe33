/** Background work: the sweeper of open rows, the janitor of spools, the workers that report what is in their journals. */
import { bringBack } from './bring-back.js';
import { mapBodies } from './change.js';
import { isOn } from './defects.js';
import { makeUnknown, putRow } from './ledger.js';
import { rowAt, tokenOfId } from './rows.js';
import { isAwaited, letTimePass } from './tokens.js';
import { CALLS, callTitle, mayBePaid, type Move, type State } from './words.js';

export function keeperMoves(state: State): readonly Move[] {
  const calls = Array.from({ length: CALLS }, (_, call) => call);
  return [
    ...calls.flatMap((call) => [...sweep(state, call), ...clean(state, call)]),
    ...hear(state, 0),
    ...hear(state, 1),
  ];
}

/** After five minutes the attempt that opened the row is much too old to send, and no server waits for it. */
function sweep(state: State, call: number): readonly Move[] {
  const row = rowAt(state, call);
  if (row?.intent.state !== 'open') return [];
  const token = tokenOfId(row.intent.intentId);
  if (isAwaited(state, call, token)) return [];
  const later = letTimePass(state, call, token);
  const next = isOn('the sweeper says not sent')
    ? putRow(later, call, { ...row, intent: { ...row.intent, state: 'not_sent' } })
    : makeUnknown(later, call, row);
  return [{ kind: 'step', says: `sweeper: ${callTitle(call)} has been open for five minutes`, next }];
}

function clean(state: State, call: number): readonly Move[] {
  const { spooled = false, entryAt = 0 } = state.calls[call] ?? {};
  if (!spooled) return [];
  const says = `janitor of worker ${entryAt + 1}: settles ${callTitle(call)} from the spool`;
  return [{ kind: 'step', says, next: bringBack(state, call) }];
}

/** One worker's part of `tramita ledger reconcile`. */
function hear(state: State, worker: 0 | 1): readonly Move[] {
  if (!state.held || state.heard[worker] || state.diskLost[worker]) return [];
  let next = state;
  state.calls.forEach(({ entryAt, entry }, call) => {
    if (entryAt === worker && entry !== 'none') next = bringBack(next, call);
  });
  // A body that began on this worker in the earlier life must not send any more: the row that would stop it may be gone.
  if (!isOn('a call begun in an earlier life is sent')) {
    next = mapBodies(next, (body) => (body.worker === worker && body.begunInFirstLife ? { ...body, old: true } : body));
  }
  const heard: State['heard'] = worker === 0 ? [true, state.heard[1]] : [state.heard[0], true];
  return [
    { kind: 'step', says: `worker ${worker + 1}: its journal is heard`, next: endHoldWhenHeard({ ...next, heard }) },
  ];
}

export function endHoldWhenHeard(state: State): State {
  if (!state.heard[0] || !state.heard[1]) return state;
  return { ...markUnwitnessed(state), held: false };
}

/** Marks calls that are paid or in progress, and that neither a row nor a journal knows; a flow may. */
export function markUnwitnessed(state: State): State {
  const calls = state.calls.map((call) =>
    call.row === 0 && call.entry === 'none' && mayBePaid(call) ? { ...call, unwitnessed: true } : call,
  );
  return { ...state, calls };
}
