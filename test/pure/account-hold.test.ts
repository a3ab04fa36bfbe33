/** Why the calls of an account wait, and what the result of a call says about that. No database is needed. */
import { decideHold, holdNewsOf, LONGEST_THROTTLE_MS, type HoldFacts } from '../../src/ledger/account-hold.js';
import type { Settlement } from '../../src/ledger/settlement.js';
import { amount, makeIntent } from '../support/kept-intent.js';

const NOW = 1_000_000;
const QUIET: HoldFacts = { failures: 0, outageSinceMs: null, throttledUntilMs: null, freeThrottledUntilMs: null };
const CHARGED = { free: false, nowMs: NOW };
const FREE = { free: true, nowMs: NOW };

describe('calls of an account', () => {
  it('are not held without an outage or a throttle', () => {
    expect(decideHold(QUIET, CHARGED)).toBeUndefined();
    expect(decideHold(QUIET, FREE)).toBeUndefined();
  });

  it('wait during an outage unless they are free', () => {
    const facts = { ...QUIET, failures: 5, outageSinceMs: 500 };
    expect(decideHold(facts, CHARGED)).toEqual({ because: 'outage', sinceMs: 500, failures: 5 });
    expect(decideHold(facts, FREE)).toBeUndefined();
  });

  it('all wait until the time that a throttled charged call was given', () => {
    const facts = { ...QUIET, throttledUntilMs: NOW + 1 };
    expect(decideHold(facts, CHARGED)).toEqual({ because: 'throttled', untilMs: NOW + 1 });
    expect(decideHold(facts, FREE)).toEqual({ because: 'throttled', untilMs: NOW + 1 });
    expect(decideHold({ ...QUIET, throttledUntilMs: NOW }, CHARGED)).toBeUndefined();
  });

  it('wait for the time that a throttled free call was given only if they are free, and for the later of two times', () => {
    const facts = { ...QUIET, throttledUntilMs: NOW + 1, freeThrottledUntilMs: NOW + 2 };
    expect(decideHold(facts, CHARGED)).toEqual({ because: 'throttled', untilMs: NOW + 1 });
    expect(decideHold(facts, FREE)).toEqual({ because: 'throttled', untilMs: NOW + 2 });
    expect(decideHold({ ...QUIET, freeThrottledUntilMs: NOW + 2 }, CHARGED)).toBeUndefined();
  });
});

describe('the result of a call', () => {
  const newsOf = (settlement: Settlement, intent: Parameters<typeof makeIntent>[0] = {}) =>
    holdNewsOf(makeIntent({ account: 'second', ...intent }), settlement, NOW);

  it.each<[string, Settlement, string]>([
    ['no answer', { state: 'unknown' }, 'failure'],
    ['a 5xx', { state: 'rejected', httpStatus: 500 }, 'failure'],
    ['a 4xx', { state: 'rejected', httpStatus: 499 }, 'answer'],
    ['a refusal without a status', { state: 'rejected' }, 'answer'],
    ['an answer', { state: 'done', httpStatus: 200 }, 'answer'],
    ['an answer that was paid and lost', { state: 'charged_lost', httpStatus: 500 }, 'answer'],
    ['a call that was not sent', { state: 'not_sent' }, 'nothing'],
  ])('that is %s counts for the outage brake', (_which, settlement, seen) => {
    expect(newsOf(settlement)).toEqual({
      account: 'second',
      seen,
      throttledUntilMs: null,
      freeThrottledUntilMs: null,
    });
  });

  it('says nothing about the service if the call was already pending or is free', () => {
    expect(newsOf({ state: 'unknown' }, { state: 'pending' }).seen).toBe('nothing');
    expect(newsOf({ state: 'unknown' }, { reserved: amount(0) }).seen).toBe('nothing');
  });

  it('throttles all calls if the call was charged, and only free calls if it was free', () => {
    const throttled: Settlement = { state: 'rejected', httpStatus: 429, throttledUntilMs: NOW + 1 };
    expect(newsOf(throttled)).toMatchObject({ throttledUntilMs: NOW + 1, freeThrottledUntilMs: null });
    expect(newsOf(throttled, { reserved: amount(0) })).toMatchObject({
      throttledUntilMs: null,
      freeThrottledUntilMs: NOW + 1,
    });
  });

  it('throttles for fifteen minutes at most, and not until a time in the past', () => {
    const until = (throttledUntilMs: number) =>
      newsOf({ state: 'rejected', httpStatus: 429, throttledUntilMs }).throttledUntilMs;
    expect(LONGEST_THROTTLE_MS).toBe(900_000);
    expect(until(NOW + 900_001)).toBe(NOW + 900_000);
    expect(until(NOW)).toBeNull();
  });
});
