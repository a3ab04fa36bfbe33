/** The resolver, after an activity that did not come back: it lets nothing more be sent, and returns what the row says. */
import { MAY_BE_PAID } from '../src/ledger/states.js';
import { buildShut } from '../src/ledger/new-intent.js';
import type { KeptIntent } from '../src/ledger/intent-row.js';
import { withFlow } from './change.js';
import { decideMissingRow } from './decide-missing-row.js';
import { isOn } from './defects.js';
import { knownId, tellResolved } from './flow.js';
import { findRow, makeUnknown, outcomeOf, putRow } from './ledger.js';
import { openRow } from './open.js';
import { freeToken, isAwaited, letTimePass } from './tokens.js';
import { ACCOUNT, NOW_MS, SUBJECT, callOfId, intentIdOf, requestIdOf, rowAt, stepKeyOf, tokenOfId } from './rows.js';
import { ORDINALS, callOf, type State } from './words.js';
import { worldOf } from './worlds.js';

export interface Resolved {
  readonly says: string;
  readonly next: State;
}

/** Undefined while the call may still be in progress. */
export function resolve(state: State, flow: 0 | 1): Resolved | undefined {
  const own = state.flows[flow];
  const row = rowOfStep(state, flow);
  if (row === undefined) return missing(state, flow);
  const call = callOfId(row.intent.intentId);
  const root = findRow(state, row.intent.intentId);
  if (root === undefined) {
    // The row that it joined is gone: only this flow's own knowledge is left.
    const alone = makeUnknown(state, call, { ...row, intent: { ...row.intent, joined: null, evidence: LOST } });
    return { says: 'the row that it joined is gone: unknown (ledger-lost)', next: lookFor(alone, flow, call) };
  }
  if (row.intent.state === 'open') {
    if (isAwaited(state, call, tokenOfId(row.intent.intentId))) return undefined;
    const over = makeUnknown(letTimePass(state, call, tokenOfId(row.intent.intentId)), call, row);
    return { says: 'closes the door: the row is unknown', next: lookFor(over, flow, call) };
  }
  const isUndecided = row.intent.state === 'unknown' || row.intent.state === 'charged_lost';
  const decided = row.intent.state === 'charged_lost' && row.intent.evidence?.['decision'] !== undefined;
  if (isUndecided && !decided && row.intent.joined === null) {
    return { says: `finds its row ${row.intent.state}`, next: lookFor(state, flow, call) };
  }
  return {
    says: `finds its row ${row.intent.state}`,
    next: tellResolved(withFlow(state, flow, { phase: own.phase }), flow, outcomeOf(state, row.intent)),
  };
}

const LOST = { ledgerLost: true };

/** The step's own row, or else its newest earlier row that was or may have been paid. */
function rowOfStep(state: State, flow: 0 | 1): KeptIntent | undefined {
  const { ordinal } = state.flows[flow];
  for (let at = Math.min(ordinal, ORDINALS); at > 0; at -= 1) {
    const row = rowAt(state, callOf(flow, at));
    if (row !== undefined && (at === ordinal || MAY_BE_PAID.includes(row.intent.state))) return row;
  }
  return undefined;
}

function missing(state: State, flow: 0 | 1): Resolved {
  const own = state.flows[flow];
  const call = callOf(flow, own.ordinal);
  const knownRow = knownId(own);
  // If the flow knows another row of the step, and that row exists, it is not the missing one.
  const known = knownRow === undefined || rowAt(state, callOfId(knownRow)) === undefined ? knownRow : undefined;
  const verdict = isOn('a missing row means never sent')
    ? 'not_sent'
    : decideMissingRow({ wasThere: known !== undefined, sameLife: own.inFirstLife === state.firstLife });
  if (verdict === 'unknown') {
    const id = known ?? intentIdOf(call, freeToken(state, flow));
    const at = callOfId(id);
    const opened = openRow(state, at, tokenOfId(id));
    const requestId = own.knowsRequest ? requestIdOf(at) : null;
    // The resolver waits as long as for an open row: by then the attempt that opened the lost row is too old to send.
    const later = [1, 2, 3, 4, 5].reduce((then, token) => letTimePass(then, at, token), state);
    const back = makeUnknown(later, at, { ...opened, intent: { ...opened.intent, evidence: LOST, requestId } });
    return { says: 'its row is not there: unknown (ledger-lost)', next: lookFor(back, flow, at) };
  }
  const key = { ...stepKeyOf(call), account: ACCOUNT, operation: worldOf(state).operation.id };
  const row = { intentId: intentIdOf(call, freeToken(state, flow)), subject: SUBJECT, nowMs: NOW_MS };
  const shut = buildShut(key, row);
  const closed = isOn('the door stays open') ? state : putRow(state, call, shut);
  return {
    says: 'there is no row: closes the door, nothing was sent',
    next: tellResolved(closed, flow, outcomeOf(closed, shut.intent)),
  };
}

function lookFor(state: State, flow: 0 | 1, call: number): State {
  const row = rowAt(state, call);
  const knows = row === undefined ? 0 : tokenOfId(row.intent.intentId);
  return withFlow(state, flow, { phase: 'looking for evidence', about: call, knows });
}
