/** Free evidence about an undecided row: the status of the case, the request itself, the balance. The real rules judge it. */
import { present } from '../src/contract/index.js';
import { decideBalance, stayedQuiet } from '../src/activities/evidence/decide-balance.js';
import { decideRefreshEvidence } from '../src/activities/evidence/decide-refresh-evidence.js';
import type { Amount } from '../src/contract/index.js';
import type { Intent, Settlement } from '../src/ledger/index.js';
import { PRICE } from './answers.js';
import { withFlow } from './change.js';
import { isOn } from './defects.js';
import { tellResolved } from './flow.js';
import { closeByEvidence, outcomeOf, settle } from './ledger.js';
import { NOW_MS, callOfRequest, requestIdOf, rowAt } from './rows.js';
import { callTitle, flowTitle, isPaid, type Move, type State } from './words.js';
import { worldOf } from './worlds.js';

const START = 100_000;

export function evidenceMoves(state: State, flow: 0 | 1): readonly Move[] {
  const { about } = state.flows[flow];
  const row = rowAt(state, about);
  const move = (says: string, next: State): Move => ({ kind: 'step', says: `${flowTitle(flow)}: ${says}`, next });
  const after = (next: State): State => {
    const now = rowAt(next, about);
    return now === undefined
      ? withFlow(next, flow, { phase: 'asking the ledger' })
      : tellResolved(next, flow, outcomeOf(next, now.intent));
  };
  if (row === undefined) return [move('its row is gone', after(state))];
  const { intent } = row;
  const found = [...fromStatus(state, intent), ...fromEvents(state, intent), ...fromRequest(state, intent)].map(
    ({ says, settlement }) => move(says, after(settle(state, intent.intentId, settlement, 'evidence') ?? state)),
  );
  return [
    move('finds no evidence', after(state)),
    ...found,
    ...fromBalance(state, about, intent).map(({ says, next }) => move(says, after(next))),
  ];
}

interface Found {
  readonly says: string;
  readonly settlement: Settlement;
}

/** The status may show the record of any refresh of the case. */
function fromStatus(state: State, intent: Intent): readonly Found[] {
  if (!worldOf(state).byStatus || intent.evidence?.['adopted'] !== undefined) return [];
  const running = ['accepted', 'finished', 'accepted, 500', 'finished, 500'];
  return state.calls.flatMap(({ dealing }, call) => {
    if (!running.includes(dealing)) return [];
    return adopted(state, intent, {
      says: `the status shows the refresh of ${callTitle(call)}`,
      requestId: requestIdOf(call),
    });
  });
}

/**
 * An event decides nothing. It only makes a flow look for evidence, which the flow may do here at any time, so true and
 * false events need no state of their own. Only the defect reads an event.
 */
function fromEvents(state: State, intent: Intent): readonly Found[] {
  if (!isOn('an event adopts') || !worldOf(state).byStatus || intent.evidence?.['adopted'] !== undefined) return [];
  return adopted(state, intent, { says: 'an event that no call has caused tells of a refresh' });
}

function adopted(
  state: State,
  intent: Intent,
  shown: { readonly says: string; readonly requestId?: string },
): readonly Found[] {
  const { says, requestId } = shown;
  const others = state.calls.flatMap((_, call) => {
    const other = rowAt(state, call)?.intent;
    return other === undefined || other.intentId === intent.intentId || other.joined !== null ? [] : [other];
  });
  const record = { ...present({ requestId }), timeMs: NOW_MS + 60_000 };
  const evidence = decideRefreshEvidence(record as Parameters<typeof decideRefreshEvidence>[0], {
    intent,
    nowMs: record.timeMs,
    seenAhead: [],
    skewMs: 0,
    others,
  });
  if (!evidence.ours) return [];
  const settlement: Settlement = {
    state: 'pending',
    ...present({ requestId }),
    evidence: { adopted: evidence.proof },
  };
  return [{ says: `${says}: adopted (${evidence.proof})`, settlement }];
}

/** Work with a known request id is polled by that id. */
function fromRequest(state: State, intent: Intent): readonly Found[] {
  if (worldOf(state).byStatus || intent.requestId === null) return [];
  const dealing = state.calls[callOfRequest(intent.requestId)]?.dealing;
  if (dealing === 'finished') {
    return [
      {
        says: 'the request has its answer',
        settlement: { state: 'done', httpStatus: 200, evidence: { proof: 'request id' } },
      },
    ];
  }
  if (dealing !== 'accepted' || intent.evidence?.['adopted'] !== undefined) return [];
  const settlement: Settlement = { state: 'pending', requestId: intent.requestId, evidence: { adopted: 'request id' } };
  return [{ says: 'the request is still at work', settlement }];
}

/** Two equal readings while nothing else was undecided. The opening reading is older than both flows. */
function fromBalance(
  state: State,
  judged: number,
  intent: Intent,
): readonly { readonly says: string; readonly next: State }[] {
  if (!worldOf(state).exclusive || intent.state !== 'unknown' || (intent.charged ?? 0) > 0) return [];
  const others = state.calls.flatMap((_, call) => {
    const other = call === judged ? undefined : rowAt(state, call)?.intent;
    return other === undefined || other.joined !== null ? [] : [other];
  });
  // No sum contains what a database has forgotten: a reading from before a restore proves nothing, nor does any reading
  // when one of the rows was lost.
  if (!state.firstLife || [intent, ...others].some(({ evidence }) => evidence?.['ledgerLost'] === true)) return [];
  const undecided = others.filter(
    (other) => other.reserved > 0 && ['open', 'unknown', 'pending'].includes(other.state),
  );
  const quiet = { seq: 1, busy: undecided.length, recentRows: 1, endedBelow: 1, begunBelow: 1 };
  if (!stayedQuiet(quiet, quiet)) return [];
  const verdict = decideBalance({
    opening: START as Amount,
    now: (START - PRICE * state.calls.filter(isPaid).length) as Amount,
    chargedBetween: chargedBetween(others),
    mayHaveBilled: false,
    mayHaveRefunded: false,
  });
  switch (verdict.says) {
    case 'not charged':
      // Within the first three minutes the service may still be working on it.
      if (state.calls[judged]?.dealing === 'received') return [];
      return [{ says: 'the balance says: not charged', next: closeByEvidence(state, judged) }];
    case 'charged': {
      const settlement: Settlement = { state: 'charged_lost', charged: verdict.amount, evidence: { proof: 'balance' } };
      return [
        { says: 'the balance says: charged', next: settle(state, intent.intentId, settlement, 'evidence') ?? state },
      ];
    }
    case 'nothing':
      return [];
  }
}

/** Does what the ledger's statement `chargedSince` does. */
function chargedBetween(others: readonly Intent[]): Amount | null {
  const counted = others.filter(({ reserved, charged }) => reserved > 0 || charged !== null);
  const silent = counted.some(
    ({ state, charged, reserved, requestId }) =>
      ['open', 'unknown', 'pending'].includes(state) ||
      (charged === null && (state === 'done' || state === 'charged_lost' || (state === 'closed' && reserved > 0))) ||
      (state === 'rejected' && requestId !== null && (charged ?? 0) > 0),
  );
  return silent ? null : sumOf(counted);
}

function sumOf(rows: readonly Intent[]): Amount {
  return rows.reduce((sum, { charged }) => sum + (charged ?? 0), 0) as Amount;
}
