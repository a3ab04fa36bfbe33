/** The outage brake and the throttle in the ledger: what is counted, which calls wait, who may probe, and what lets calls go on. */
import { randomUUID } from 'node:crypto';
import type { OpenIntent, Settlement } from '../../src/ledger/index.js';
import { withDatabase } from '../support/database.js';
import {
  amount,
  closeStep,
  countRoundTrips,
  elsewhere,
  intentOf,
  makeLedger,
  MINUTE_MS,
  refreshRequest,
  setClock,
} from './support.js';

const database = withDatabase();
const HOUR_MS = 60 * MINUTE_MS;
const FAILED: Settlement = { state: 'unknown', httpStatus: 502, reason: 'HTTP 502' };
const SILENT: Settlement = { state: 'unknown', reason: 'no answer in time' };
const FREE_FAILURE: Settlement = { state: 'rejected', httpStatus: 503 };

/** An account that no other test knows, as two processes see it. */
function held({ outageAfter = 3 }: { readonly outageAfter?: number } = {}) {
  const account = `a-${randomUUID().slice(0, 8)}`;
  const clock = setClock();
  const build = () => makeLedger(database.db, { clock, settings: { accounts: { [account]: { outageAfter } } } }).ledger;
  const [ledger, other] = [build(), build()];
  const open = (changes: Partial<OpenIntent> = {}, from = other) =>
    from.openIntent(refreshRequest({ account, ...changes }));
  /** Calls that were sent at once and got these answers, one after the other. */
  const results = async (...settlements: readonly Settlement[]): Promise<void> => {
    const ids: string[] = [];
    for (const _ of settlements) ids.push(intentOf(await open({}, ledger)).intentId);
    for (const [index, settlement] of settlements.entries()) await ledger.settle(ids[index] ?? '', settlement);
  };
  return { account, clock, ledger, other, open, results };
}

describe('outage brake', () => {
  test('three charged calls in a row without a usable answer hold the next ones in every process', async () => {
    const { account, open, results, ledger, clock } = held();
    await results(FAILED, SILENT);
    const before = await open();
    expect(before.kind).toBe('send');
    clock.nowMs += 1_000;
    await ledger.settle(intentOf(before).intentId, FREE_FAILURE);
    const rows = await ledger.list({ account });
    expect(await open()).toEqual({ kind: 'account held', because: 'outage', sinceMs: clock.nowMs, failures: 3 });
    expect(await ledger.list({ account })).toHaveLength(rows.length);
  });

  test.each<[string, Settlement]>([
    ['an answer', { state: 'done', charged: amount(1), httpStatus: 200 }],
    ['a refusal', { state: 'rejected', httpStatus: 404 }],
    ['pending work', { state: 'pending', requestId: randomUUID(), httpStatus: 202 }],
    ['a lost answer', { state: 'charged_lost', httpStatus: 200 }],
  ])('%s in between starts the count again', async (_, answer) => {
    const { open, results } = held();
    await results(FAILED, FAILED, answer, FAILED, FAILED);
    expect((await open()).kind).toBe('send');
  });

  test('an unsent call and a dead worker are not counted as failures of the service', async () => {
    const { open, results, ledger, account } = held();
    await results(FAILED, FAILED, { state: 'not_sent', reason: 'refused' });
    const dead = refreshRequest({ account });
    await ledger.openIntent(dead);
    await closeStep(ledger, dead, { deadlineMs: 0 });
    await open();
    await ledger.sweep(0);
    expect((await open()).kind).toBe('send');
  });

  test('a late failure, the failed end of a poll and a failed free call are not counted', async () => {
    const { open, results, ledger, account } = held();
    await results(FAILED, FAILED);
    const pending = intentOf(await open());
    await ledger.settle(pending.intentId, { state: 'pending', requestId: randomUUID() });
    await results(FAILED, FAILED);
    await ledger.settle(pending.intentId, FAILED);
    const free = { operation: 'getRequest', params: { requestId: randomUUID() }, waiterKeys: [], account };
    await ledger.settle(intentOf(await open(free)).intentId, FAILED);
    expect((await open()).kind).toBe('send');
  });

  test('a held account still joins open calls, repeats an opening and makes free calls', async () => {
    const { open, results, ledger, account } = held();
    const request = refreshRequest({ account });
    const { intentId } = intentOf(await ledger.openIntent(request));
    await results(FAILED, FAILED, FAILED);
    expect((await open()).kind).toBe('account held');
    expect((await ledger.openIntent(elsewhere(request))).kind).toBe('open elsewhere');
    expect((await ledger.openIntent(request)).kind).toBe('send');
    const free = { operation: 'getRequest', params: { requestId: randomUUID() }, waiterKeys: [] };
    expect((await open(free)).kind).toBe('send');
    // Its answer shows that the service is back.
    await ledger.settle(intentId, { state: 'pending', requestId: randomUUID() });
    expect((await open()).kind).toBe('send');
  });

  test('one process a minute may probe; calls go on once the service is back, and the next failure holds them again', async () => {
    const { account, ledger, other, open, results, clock } = held();
    expect(await ledger.claimProbe(account)).toMatchObject({ claimed: false });
    await results(FAILED, FAILED, FAILED);
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? ledger : other).claimProbe(account)),
    );
    expect(claims.filter(({ claimed }) => claimed)).toHaveLength(1);
    expect(claims.find(({ claimed }) => !claimed)).toEqual({ claimed: false, nextAtMs: clock.nowMs + MINUTE_MS });
    clock.nowMs += MINUTE_MS;
    expect(await other.claimProbe(account)).toEqual({ claimed: true });
    await other.releaseHold(account);
    expect(await ledger.holdOf(account, { free: false })).toBeUndefined();
    expect((await open()).kind).toBe('send');
    await results(FAILED);
    expect((await open()).kind).toBe('account held');
  });

  test('a probe by a program whose clock was hours ahead does not keep others from probing', async () => {
    const { account, ledger, other, results, clock } = held();
    await results(FAILED, FAILED, FAILED);
    clock.nowMs += 5 * HOUR_MS;
    expect(await ledger.claimProbe(account)).toEqual({ claimed: true });
    clock.nowMs -= 5 * HOUR_MS;
    expect(await other.claimProbe(account)).toEqual({ claimed: true });
    expect(await ledger.claimProbe(account)).toEqual({ claimed: false, nextAtMs: clock.nowMs + MINUTE_MS });
  });

  test('an account with outageAfter 0 is never held, and a held account does not hold others', async () => {
    const never = held({ outageAfter: 0 });
    await never.results(FAILED, FAILED, FAILED, FAILED);
    expect((await never.open()).kind).toBe('send');
    const first = held({ outageAfter: 1 });
    await first.results(FAILED);
    expect((await first.open()).kind).toBe('account held');
    expect((await held().open()).kind).toBe('send');
  });

  test('failures that come at the same moment are all counted', async () => {
    const { account, ledger, open } = held({ outageAfter: 20 });
    const ids = await Promise.all(Array.from({ length: 20 }, async () => intentOf(await open()).intentId));
    await Promise.all(
      ids.map((intentId) =>
        ledger.settle(intentId, { ...FAILED, body: { bytes: Buffer.from('busy'), contentType: null } }),
      ),
    );
    expect(await ledger.holdOf(account, { free: false })).toMatchObject({ because: 'outage', failures: 20 });
  });
});

describe('throttle', () => {
  const throttled = (untilMs: number): Settlement => ({
    state: 'rejected',
    httpStatus: 429,
    throttledUntilMs: untilMs,
  });

  test('a 429 that names a time holds all calls of the account until then, also free ones', async () => {
    const { clock, open, results } = held();
    const untilMs = clock.nowMs + 7_000;
    await results(throttled(untilMs), throttled(untilMs - 5_000));
    const free = { operation: 'getRequest', params: { requestId: randomUUID() }, waiterKeys: [] };
    expect(await open()).toEqual({ kind: 'account held', because: 'throttled', untilMs });
    expect((await open(free)).kind).toBe('account held');
    clock.nowMs = untilMs;
    expect((await open()).kind).toBe('send');
  });

  test('a throttled poll holds free calls and no paid ones', async () => {
    const { account, clock, ledger, open } = held();
    await ledger.throttle(account, clock.nowMs + 3_000);
    const free = { operation: 'getRequest', params: { requestId: randomUUID() }, waiterKeys: [] };
    expect((await open(free)).kind).toBe('account held');
    expect(await ledger.holdOf(account, { free: true })).toEqual({
      because: 'throttled',
      untilMs: clock.nowMs + 3_000,
    });
    expect(await ledger.holdOf(account, { free: false })).toBeUndefined();
    expect((await open()).kind).toBe('send');
  });

  test('free calls wait for the later of the two throttles', async () => {
    const { account, clock, ledger, results } = held();
    await results(throttled(clock.nowMs + 9_000));
    await ledger.throttle(account, clock.nowMs + 3_000);
    expect(await ledger.holdOf(account, { free: true })).toMatchObject({ untilMs: clock.nowMs + 9_000 });
    expect(await ledger.holdOf(account, { free: false })).toMatchObject({ untilMs: clock.nowMs + 9_000 });
  });

  test('a throttle of days is cut to a quarter of an hour', async () => {
    const { clock, open, results } = held();
    await results(throttled(clock.nowMs + 86_400_000));
    expect(await open()).toMatchObject({ untilMs: clock.nowMs + 15 * MINUTE_MS });
    const other = held();
    await other.ledger.throttle(other.account, other.clock.nowMs + 86_400_000);
    expect(await other.ledger.holdOf(other.account, { free: true })).toMatchObject({
      untilMs: other.clock.nowMs + 15 * MINUTE_MS,
    });
  });

  test('a throttle written by a clock hours ahead holds no call and hides no later throttle', async () => {
    const { account, clock, ledger, open, results } = held();
    const rightMs = clock.nowMs;
    clock.nowMs += 5 * HOUR_MS;
    await results(throttled(clock.nowMs + 7_000));
    await ledger.throttle(account, clock.nowMs + 7_000);
    clock.nowMs = rightMs;
    expect((await open()).kind).toBe('send');
    expect(await ledger.holdOf(account, { free: true })).toBeUndefined();
    await ledger.throttle(account, rightMs + 3_000);
    expect(await ledger.holdOf(account, { free: true })).toMatchObject({ untilMs: rightMs + 3_000 });
    await results(throttled(rightMs + 9_000));
    expect(await open()).toMatchObject({ because: 'throttled', untilMs: rightMs + 9_000 });
  });
});

test('the outage brake costs no extra round trip', async () => {
  const { ledger, open, results } = held();
  await results(FAILED, FAILED);
  let verdict;
  expect(await countRoundTrips(async () => (verdict = await open()))).toHaveLength(2);
  const { intentId } = intentOf(verdict as never);
  expect(await countRoundTrips(() => ledger.settle(intentId, FAILED))).toHaveLength(2);
  expect((await open()).kind).toBe('account held');
});
