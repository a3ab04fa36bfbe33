/** The service's answers as real exchanges, judged by the real code: what each means for the ledger row. */
import { judgeExchange, type Exchange } from '../src/http/index.js';
import { settlementOf } from '../src/activities/charged/settlement-of.js';
import type { Settlement } from '../src/ledger/index.js';
import { isOn } from './defects.js';
import { NOW_MS, requestIdOf } from './rows.js';
import type { Answer, Dealing, State } from './words.js';
import { worldOf } from './worlds.js';

export const PRICE = 1_500;
const CHARGE = { creditsCharged: '0.15', creditsRemaining: '9.85' };

const cache = new Map<string, Settlement>();

/** The settlement that a body writes when it knows this much of the answer. */
export function settlementFor(state: State, call: number, answer: Exclude<Answer, 'none'>): Settlement {
  const dealing = state.calls[call]?.dealing ?? 'none';
  const key = [state.world, call, answer, answer === 'told' ? dealing : ''].join(' ');
  const known = cache.get(key);
  if (known !== undefined) return known;
  const exchange = exchangeFor(call, answer, dealing);
  const judgement = judgeExchange(worldOf(state).operation, exchange);
  const { body: _body, ...settlement } = settlementOf(judgement, exchange, { openedAtMs: NOW_MS });
  const result: Settlement =
    isOn('unknown is settled as not sent') && settlement.state === 'unknown'
      ? { state: 'not_sent', reason: 'no answer' }
      : settlement;
  cache.set(key, result);
  return result;
}

export function forgetAnswers(): void {
  cache.clear();
}

function exchangeFor(call: number, answer: Exclude<Answer, 'none'>, dealing: Dealing): Exchange {
  if (answer === 'unsent') return { kind: 'not_sent', reason: 'the call is too old' };
  if (answer === 'broken') return { kind: 'no_answer', reason: 'the connection was cut' };
  switch (dealing) {
    case 'answered':
      return answered(200, { data: {}, meta: CHARGE });
    case 'accepted':
    case 'finished':
    case 'forgotten':
      return answered(202, { data: { requestId: requestIdOf(call) }, meta: CHARGE });
    case 'refused':
      return answered(429, { error: { code: 'RATE_LIMITED', message: 'Too many requests' } });
    case 'garbled':
      return answered(200, undefined);
    default:
      return answered(500, { error: { code: 'INTERNAL', message: 'Internal error' } });
  }
}

function answered(status: number, body: object | undefined): Exchange {
  const bytes = Buffer.from(body === undefined ? '<html>' : JSON.stringify(body));
  return { kind: 'answer', head: { status, headers: {}, receivedAtMs: NOW_MS }, body: bytes };
}
