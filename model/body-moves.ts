/** The body of a charged activity, step by step: intent, journal, send, answer, spool and settlement in either order, outcome. */
import type { ChargedCallResult } from '../src/protocol/index.js';
import { settlementFor } from './answers.js';
import { bringBack, settleLost } from './bring-back.js';
import { putBody, withBody, withCall } from './change.js';
import { isOn } from './defects.js';
import { tell } from './flow.js';
import { findRow, outcomeOf, settle } from './ledger.js';
import { openIntent } from './open.js';
import { NOW_MS, intentIdOf, rowAt } from './rows.js';
import { BODIES, callOf, callTitle, type Body, type Move, type State } from './words.js';

export function bodyMoves(state: State): readonly Move[] {
  return state.bodies.flatMap((body, place) =>
    body === undefined ? [] : movesOf(state, place, body).map((move) => alone(state, place, move)),
  );
}

/**
 * When no more mishaps may happen, runs a body on to the point where it waits for the service, or to its end: moves of
 * others in between could as well come before or after.
 */
function alone(before: State, place: number, move: Move): Move {
  const body = move.next.bodies[place];
  const was = before.bodies[place];
  if (was === undefined || before.mishaps > 0) return move;
  if (body === undefined || body.token !== was.token || body.step === was.step) return move;
  if (body.step === 'sent' || (body.step === 'opened' && !body.awaited)) return move;
  const [then, ...others] = movesOf(move.next, place, body);
  if (then === undefined || others.length > 0) return move;
  return alone(before, place, { ...then, says: `${move.says}; ${then.says.slice(then.says.indexOf(':') + 2)}` });
}

function movesOf(state: State, place: number, body: Body): readonly Move[] {
  const call = callOf(flowAt(place), body.ordinal);
  const who = `worker ${body.worker + 1}, ${callTitle(call)}${body.again ? ' (attempt 2)' : ''}`;
  const step = (says: string, next: State): Move => ({ kind: 'step', says: `${who}: ${says}`, next });
  const mishap = (says: string, next: State): Move => ({
    kind: 'mishap',
    says: `${who}: ${says}`,
    next: { ...next, mishaps: next.mishaps - 1 },
  });
  const unlucky = (says: string, next: () => State): readonly Move[] =>
    state.mishaps > 0 ? [mishap(says, next())] : [];
  const at = (change: Partial<Body>): State => withBody(state, place, change);
  switch (body.step) {
    case 'begun':
      return [
        ...opening(state, place, body).map(({ says, next, lucky }) => (lucky ? step(says, next) : mishap(says, next))),
        ...unlucky('the database stays away, it gives up', () => giveUp(state, place, body)),
      ];
    case 'opened': {
      const noted = { entry: 'sent', entryOf: body.token, entryAt: body.worker, spooled: false } as const;
      const journal = isOn('the journal is written after the send') ? state : withCall(state, call, noted);
      return [step('notes the call in its journal', withBody(journal, place, { step: 'journalled' }))];
    }
    case 'journalled':
      if (body.old && !isOn('no age fence')) {
        return [step('sends nothing, its body is too old', at({ step: 'answered', answer: 'unsent' }))];
      }
      return [
        step('SENDS the call', withCall(at({ step: 'sent' }), call, { dealing: 'received' })),
        ...unlucky('gets no connection', () => at({ step: 'answered', answer: 'unsent' })),
      ];
    case 'sent':
      return [
        ...(state.calls[call]?.dealing === 'received'
          ? []
          : [step('receives the answer', at({ step: 'answered', answer: 'told' }))]),
        ...unlucky('its connection breaks', () => at({ step: 'answered', answer: 'broken' })),
      ];
    case 'answered':
      return [
        step('has the answer on its disk', spooled(at({ step: 'spooled' }), call, body)),
        step('settles the row', settled(at({ step: 'booked' }), call, body)),
      ];
    case 'booked':
      return [step('has the answer on its disk too', spooled(at({ step: 'settled' }), call, body))];
    case 'spooled':
      return [
        step('settles the row', settled(at({ step: 'settled' }), call, body)),
        ...unlucky('the database stays away, the answer stays in the spool', () =>
          returned(state, place, unsettled(call, body)),
        ),
      ];
    case 'settled':
      return [
        step(
          'returns the outcome',
          returned(withCall(state, call, { spooled: false }), place, resultOf(state, call, body)),
        ),
      ];
  }
}

interface Opened {
  readonly says: string;
  readonly next: State;
  readonly lucky: boolean;
}

function opening(state: State, place: number, body: Body): readonly Opened[] {
  const call = callOf(flowAt(place), body.ordinal);
  const { state: written, result } = openIntent(state, { call, token: body.token, again: body.again });
  if (result !== undefined) {
    const because = result.outcome === 'HELD' ? `HELD, ${result.because}` : result.outcome;
    return [{ says: `may not send: ${because}`, next: returned(written, place, result), lucky: true }];
  }
  const opened = withBody(written, place, { step: 'opened' });
  const isNew = rowAt(state, call) === undefined;
  return [
    { says: 'commits its intent', next: opened, lucky: true },
    ...(isNew && state.mishaps > 0
      ? [{ says: 'commits its intent, and the acknowledgement is lost', next: written, lucky: false }]
      : []),
  ];
}

function giveUp(state: State, place: number, body: Body): State {
  const call = callOf(flowAt(place), body.ordinal);
  const { entry = 'none' } = state.calls[call] ?? {};
  // An existing entry stays: it may be that of another body of this step.
  const noted =
    entry === 'none'
      ? withCall(state, call, { entry: 'unsent', entryOf: body.token, entryAt: body.worker, spooled: true })
      : state;
  if (!body.again)
    return returned(noted, place, { outcome: 'HELD', because: 'database', sinceMs: NOW_MS, reason: 'away' });
  return returned(noted, place, { outcome: 'UNKNOWN', reason: 'away', charged: null, reused: false, settled: true });
}

function spooled(state: State, call: number, { answer, token, worker }: Body): State {
  return withCall(state, call, { entry: answer, entryOf: token, entryAt: worker, spooled: true });
}

/** When the database has lost the row in the meantime, the journal restores it, and the answer settles the restored row. */
function settled(state: State, call: number, { token, answer }: Body): State {
  const settlement = settlementFor(state, call, answer === 'none' ? 'broken' : answer);
  return (
    settle(state, intentIdOf(call, token), settlement, 'call') ??
    settleLost(bringBack(state, call), call, token, settlement)
  );
}

function unsettled(call: number, { token }: Body): ChargedCallResult {
  const intentId = intentIdOf(call, token);
  return { outcome: 'UNKNOWN', intentId, reason: 'spool', charged: null, reused: false, settled: false };
}

function resultOf(state: State, call: number, { token }: Body): ChargedCallResult {
  const intentId = intentIdOf(call, token);
  const row = findRow(state, intentId);
  if (row !== undefined) return outcomeOf(state, row.asked.intent);
  return { outcome: 'UNKNOWN', intentId, reason: 'the row is gone', charged: null, reused: false, settled: true };
}

/** The flow receives the result only if it still waits for this body. */
function returned(state: State, place: number, result: ChargedCallResult): State {
  const awaited = state.bodies[place]?.awaited === true;
  const without = putBody(state, place, undefined);
  return awaited ? tell(without, flowAt(place), result) : without;
}

function flowAt(place: number): 0 | 1 {
  return place < BODIES ? 0 : 1;
}
