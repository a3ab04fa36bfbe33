/** Restores from a journal a row that the database has lost: with its answer if the journal has one, else as `unknown`. */
import type { Settlement } from '../src/ledger/index.js';
import { saysSomethingOf } from '../src/ledger/restore-row.js';
import { settlementFor } from './answers.js';
import { withCall } from './change.js';
import { makeUnknown, putRow, settle } from './ledger.js';
import { openRow } from './open.js';
import { intentIdOf, rowAt } from './rows.js';
import type { State } from './words.js';

/** The worker that made the call settles the row with its journal's entry, and restores the row first if it is missing. */
export function bringBack(state: State, call: number): State {
  const { entry = 'none', entryOf = 0 } = state.calls[call] ?? {};
  if (entry === 'none') return state;
  const row = rowAt(state, call);
  // Nothing was sent, so there is no row to restore.
  if (entry === 'unsent' && row?.intent.intentId !== intentIdOf(call, entryOf)) {
    return withCall(state, call, { entry: 'none', entryOf: 0, entryAt: 0, spooled: false });
  }
  const back = row === undefined ? putRow(state, call, openRow(state, call, entryOf)) : state;
  if (entry !== 'sent') {
    return withCall(settleLost(back, call, entryOf, settlementFor(back, call, entry)), call, { spooled: false });
  }
  const written = rowAt(back, call);
  return row === undefined && written !== undefined ? makeUnknown(back, call, written) : back;
}

/** The answer settles the row that the step has now, if it concerns that row. */
export function settleLost(state: State, call: number, token: number, settlement: Settlement): State {
  const row = rowAt(state, call)?.intent;
  if (row === undefined || !saysSomethingOf(row, { intentId: intentIdOf(call, token) }, settlement)) return state;
  return settle(state, row.intentId, settlement, 'call') ?? state;
}
