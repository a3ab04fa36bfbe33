/** A row that the database has lost, and a journal that knows of it: back with its answer, else as `unknown`. */
import { settlementFor } from './answers.js';
import { withCall } from './change.js';
import { makeUnknown, putRow, settle } from './ledger.js';
import { openRow } from './open.js';
import { intentIdOf, rowAt } from './rows.js';
import type { State } from './words.js';

/** The worker that made the call settles what its journal has; the row is brought back where it is gone. */
export function bringBack(state: State, call: number): State {
  const { entry = 'none', entryOf = 0 } = state.calls[call] ?? {};
  if (entry === 'none') return state;
  const row = rowAt(state, call);
  // Nothing was sent, so there is nothing to bring back.
  if (entry === 'unsent' && row?.intent.intentId !== intentIdOf(call, entryOf)) {
    return withCall(state, call, { entry: 'none', entryOf: 0, entryAt: 0, spooled: false });
  }
  // A step that did not know its row's id has written another one: the journal's answer is about the same step.
  const known = row?.intent.evidence?.['ledgerLost'] === true ? row.intent.intentId : intentIdOf(call, entryOf);
  const back = row === undefined ? putRow(state, call, openRow(state, call, entryOf)) : state;
  if (entry !== 'sent')
    return withCall(settle(back, known, settlementFor(back, call, entry)) ?? back, call, { spooled: false });
  const written = rowAt(back, call);
  return row === undefined && written !== undefined ? makeUnknown(back, call, written) : back;
}
