/** What evidence reads from the ledger: whether an account was quiet, what was charged since, and what is barred. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { stayedQuiet } from '../../src/activities/evidence/decide-balance.js';
import type { Settlement } from '../../src/ledger/index.js';
import { withDatabase } from '../support/database.js';
import { amount, elsewhere, intentOf, makeLedger, refreshRequest, setClock, spentOf } from './support.js';
import { until } from '../support/until.js';

const database = withDatabase();
const clock = setClock();
const book = () => makeLedger(database.db, { clock }).ledger;
const newAccount = (): string => `account-${randomUUID().slice(0, 8)}`;

async function opened(account: string) {
  const verdict = await book().openIntent(refreshRequest({ account }));
  if (verdict.kind !== 'send') throw new Error(verdict.kind);
  return verdict.intent;
}
async function settled(account: string, settlement: Settlement) {
  const { intentId } = await opened(account);
  return (await book().settle(intentId, settlement)).intent;
}

describe('an account', () => {
  it('is quiet while only the judged call is under way', async () => {
    const account = newAccount();
    expect(await book().quiet(account)).toMatchObject({ seq: 0, busy: 0, recentRows: 0 });
    const judged = await settled(account, { state: 'unknown' });
    expect(await book().quiet(account)).toMatchObject({ busy: 1 });
    expect(await book().quiet(account, judged.intentId)).toMatchObject({ busy: 0, recentRows: 1 });
    for (const state of ['pending', 'unknown'] as const) {
      const { intentId } = await settled(account, { state });
      expect((await book().quiet(account, judged.intentId)).busy).toBe(1);
      await book().settle(intentId, { state: 'done', charged: amount(1) });
    }
    expect((await book().quiet(account, judged.intentId)).busy).toBe(0);
  });

  it('did not stay quiet while a row with an older sequence was still being written', async () => {
    const account = newAccount();
    const writer = database.connect();
    const moments = await writer.transaction().execute(async (trx) => {
      await sql`insert into tramita.balance_reading values (${newAccount()}, 1, 1, now())`.execute(trx);
      return [await book().quiet(account), await book().quiet(account)] as const;
    });
    expect(stayedQuiet(...moments)).toBe(false);
    // Transactions of the whole server count, also of other databases. The account stays quiet once they have ended.
    await until(async () => stayedQuiet(moments[0], await book().quiet(account)), { withinMs: 90_000 });
  });

  it('has the newest reading from before a call as its opening balance', async () => {
    const account = newAccount();
    const first = await settled(account, { state: 'done', charged: amount(100) });
    const { seq, clearTo } = await book().quiet(account);
    await book().noteBalance(account, { amount: amount(900), seq, clearTo });
    const judged = await settled(account, { state: 'unknown' });
    await book().noteBalance(account, { amount: amount(700), seq: seq + 1_000, clearTo });
    expect(await book().openingBalance(account, judged.intentId)).toMatchObject({ amount: 900, seq });
    expect(await book().openingBalance(account, first.intentId)).toBeUndefined();
    expect(await book().openingBalance(account)).toMatchObject({ amount: 700, takenAtMs: clock.nowMs });
  });

  it('shows the original of a call that many flows have joined', async () => {
    const request = refreshRequest({ account: newAccount() });
    const { intentId } = intentOf(await book().openIntent(request));
    for (let flow = 0; flow < 51; flow += 1) await book().openIntent(elsewhere(request));
    const { account, operation, params } = request;
    expect(await book().about({ account, operation, params })).toMatchObject([{ intentId }]);
  });

  it('has a sum of charges since a reading, or null when a charge is not known', async () => {
    const account = newAccount();
    const judged = await settled(account, { state: 'unknown' });
    const since = () => book().chargedSince(account, { sinceSeq: 0, except: judged.intentId });
    expect(await since()).toBe(0);
    await settled(account, { state: 'done', charged: amount(100) });
    await settled(account, { state: 'rejected' });
    await settled(account, { state: 'not_sent' });
    await settled(account, { state: 'charged_lost', charged: amount(20) });
    expect(await since()).toBe(120);
    const again = await settled(account, { state: 'done', charged: amount(5) });
    expect(await since()).toBe(125);
    const markLost = (lost: boolean) =>
      sql`update tramita.intent set evidence = ${JSON.stringify(lost ? { lost: true } : {})}::jsonb
        where intent_id = ${again.intentId}::uuid`.execute(database.db);
    // The row was lost and restored. A reading before that may have seen its charge.
    await markLost(true);
    expect(await since()).toBeNull();
    await markLost(false);
    const silent = await settled(account, { state: 'done' });
    expect(await since()).toBeNull();
    expect(await book().chargedSince(account, { sinceSeq: 1e9, except: silent.intentId })).toBe(0);
  });
});

describe('a row that evidence closes', () => {
  it.each([
    ['not charged', false, 0, 'not-charged'],
    ['repeatable', true, 5_000, 'repeat'],
  ])('as %s records that decision and its proof', async (_what, keepsReserve, reserved, decision) => {
    const { intentId } = await settled(newAccount(), { state: 'unknown' });
    const { intent } = await book().closeByEvidence(intentId, { proof: { proof: 'balance' }, keepsReserve });
    expect(intent).toMatchObject({
      state: 'closed',
      reserved,
      evidence: { decision, proof: 'balance', by: 'tramita (evidence)' },
    });
    expect(await book().find(intentId)).toMatchObject({ state: 'closed', reserved });
  });

  it('must be unknown: a row in another state is not changed', async () => {
    const closing = { proof: { proof: 'balance' }, keepsReserve: false };
    for (const settlement of [{ state: 'done' }, { state: 'pending' }, { state: 'rejected' }] as const) {
      const { intentId } = await settled(newAccount(), settlement);
      expect((await book().closeByEvidence(intentId, closing)).intent.state).toBe(settlement.state);
    }
    const { intentId } = await settled(newAccount(), { state: 'unknown' });
    await book().decide({ intentId, decision: 'abandon', by: 'ana' });
    expect((await book().closeByEvidence(intentId, closing)).intent.evidence).toMatchObject({ decision: 'abandon' });
  });
});

describe('a charged free read', () => {
  it('bars its operation for the account for 30 days, and counts as spent by the flow', async () => {
    const { account, reader, charge } = unexpected();
    expect(await book().isBarred(account, 'getRefreshStatus')).toBe(false);
    await book().bookUnexpected(charge);
    await book().bookUnexpected(charge);
    expect(await book().isBarred(account, 'getRefreshStatus')).toBe(true);
    expect(await book().isBarred(account, 'getBalance')).toBe(false);
    expect(await book().isBarred(newAccount(), 'getRefreshStatus')).toBe(false);
    expect(await spentOf(database.db, reader)).toEqual({ known: 1_000, unknown: 0 });
    expect((await book().list({ account })).map(({ step, ordinal, state }) => [step, ordinal, state])).toEqual([
      ['free/getRefreshStatus', 2, 'done'],
      ['free/getRefreshStatus', 1, 'done'],
    ]);
    const later = makeLedger(database.db, { clock: setClock(clock.nowMs + 31 * 86_400_000) }).ledger;
    expect(await later.isBarred(account, 'getRefreshStatus')).toBe(false);
  });

  it('bars its operation while the database refuses rows, and is written once afterwards', async () => {
    const { account, reader, charge } = unexpected();
    const ledger = book();
    await withoutInserts(async () => {
      await ledger.bookUnexpected(charge);
      expect(await ledger.isBarred(account, 'getRefreshStatus')).toBe(true);
      expect(await ledger.isBarred(account, 'getBalance')).toBe(false);
    });
    expect(await Promise.all([1, 2, 3].map(() => ledger.isBarred(account, 'getRefreshStatus')))).toContain(true);
    expect(await ledger.isBarred(account, 'getRefreshStatus')).toBe(true);
    expect(await spentOf(database.db, reader)).toEqual({ known: 500, unknown: 0 });
  });
});

function unexpected() {
  const account = newAccount();
  const reader = { workflowId: `refresh/${account}`, firstRunId: randomUUID(), workflowType: 'refreshCase' };
  const answer = { charged: amount(500), balanceAfter: null, metaRequestId: null, searchLogId: null, httpStatus: 200 };
  return { account, reader, charge: { account, operation: 'getRefreshStatus', ...reader, ...answer } };
}

/** Refuses new rows, like a database that was made read-only. Reads still work. */
async function withoutInserts(run: () => Promise<void>): Promise<void> {
  await sql`create function tramita.refuse() returns trigger language plpgsql as
    $$ begin raise exception 'read only'; end $$`.execute(database.db);
  await sql`create trigger refuse before insert on tramita.intent for each row execute function tramita.refuse()`.execute(
    database.db,
  );
  try {
    await run();
  } finally {
    await sql`drop function tramita.refuse() cascade`.execute(database.db);
  }
}
