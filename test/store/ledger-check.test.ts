/** Reads over the whole ledger: `ledger check`, `ledger export`, `settle --where`, metrics. */
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  checkLedger,
  exportIntents,
  listUndecided,
  readFigures,
  unknownIntents,
  type Settlement,
} from '../../src/ledger/index.js';
import { runCommand } from '../cli/run-command.js';
import { pathOf } from '../../src/files/address.js';
import { withDatabase } from '../support/database.js';
import {
  MINUTE_MS,
  NOON_MS,
  amount,
  elsewhere,
  intentOf,
  jsonBody,
  makeLedger,
  refreshRequest,
  setClock,
} from './support.js';

const database = withDatabase();
const PRICES = { default: amount(5_000), requestRefresh: amount(1_000) };
const DONE: Settlement = { state: 'done', httpStatus: 200, charged: amount(1_000), body: jsonBody({ a: 1 }) };

/** An account that no other test knows, with a clock of its own. */
function book() {
  const account = `a-${randomUUID().slice(0, 8)}`;
  const clock = setClock();
  const { ledger } = makeLedger(database.db, {
    clock,
    settings: { accounts: { [account]: { outageAfter: 3 } }, prices: PRICES },
  });
  /** Makes a call one minute after the last one, and settles it when a settlement is given. */
  const call = async (settlement?: Settlement): Promise<string> => {
    clock.nowMs += MINUTE_MS;
    const { intentId } = intentOf(await ledger.openIntent(refreshRequest({ account })));
    clock.nowMs += 1_000;
    if (settlement !== undefined) await ledger.settle(intentId, settlement);
    return intentId;
  };
  const check = async () => {
    const request = { accounts: [account], nowMs: clock.nowMs, sinceMs: NOON_MS, openAtMostMs: 6 * MINUTE_MS };
    const [found] = await checkLedger(database.db, request);
    if (found === undefined) throw new Error('no check');
    return found;
  };
  return { account, clock, ledger, call, check };
}

test('a consistent ledger reports no problem, and its balances are compared', async () => {
  const { call, check } = book();
  for (const balance of [10_000, 9_000, 8_000]) await call({ ...DONE, balanceAfter: amount(balance) });
  const found = await check();
  expect(found).toMatchObject({ stuckOpen: [], undecided: [], conflicts: [], lostOriginals: [], lostBodies: [] });
  expect(found.chain).toMatchObject({ readings: 3, lastBalance: 8_000, charged: 3_000, down: 0, up: 0 });
});

test('the balance of a polled final answer is no reading, and its charge may be debited at any time of the wait', async () => {
  const { ledger, call, check } = book();
  await call({ ...DONE, balanceAfter: amount(10_000) });
  const pending = await call({ state: 'pending', requestId: randomUUID(), charged: null });
  await call({ ...DONE, balanceAfter: amount(9_000) });
  await ledger.settle(pending, { ...DONE, balanceAfter: amount(50_000) });
  await call({ ...DONE, balanceAfter: amount(7_000) });
  expect((await check()).chain).toMatchObject({ readings: 3, lastBalance: 7_000, down: 0, up: 0 });
});

test('a 202 with a charge and a balance may still be debited at the end of the work', async () => {
  const { ledger, clock, call, check } = book();
  const after = (ms: number) => (clock.nowMs += ms);
  await call({ ...DONE, balanceAfter: amount(10_000) });
  after(1_000);
  const accepted = { state: 'pending', requestId: randomUUID(), charged: amount(1_000), balanceAfter: amount(10_000) };
  const pending = await call(accepted as Settlement);
  after(1_000);
  await call({ ...DONE, balanceAfter: amount(9_000) });
  after(1_000);
  await ledger.settle(pending, { ...DONE, balanceAfter: amount(50_000) });
  after(1_000);
  await call({ ...DONE, balanceAfter: amount(7_000) });
  expect((await check()).chain).toMatchObject({ down: 0, up: 0 });
});

test('an adopted refresh with an unreported charge is no drift', async () => {
  const { ledger, clock, call, check } = book();
  await call({ ...DONE, balanceAfter: amount(10_000) });
  clock.nowMs += 1_000;
  const adopted = await call({ state: 'unknown' });
  await ledger.settle(adopted, { state: 'pending', evidence: { adopted: 'own time' } });
  clock.nowMs += 60_000;
  await ledger.settle(adopted, { state: 'done', finalState: 'done', evidence: { proof: 'own time' } });
  clock.nowMs += 1_000;
  await call({ ...DONE, balanceAfter: amount(6_500) });
  expect((await check()).chain).toMatchObject({ down: 0, up: 0, untold: 1_500, drifts: [] });
});

test('a debit without a call is reported with the row that shows it', async () => {
  const { call, check } = book();
  await call({ ...DONE, balanceAfter: amount(10_000) });
  const second = await call({ ...DONE, balanceAfter: amount(8_700) });
  const { chain } = await check();
  expect(chain).toMatchObject({ down: 300, up: 0, drifts: [{ intentId: second, amount: -300 }] });
});

test('a finished call is listed while its charge is not known, from the start of the check', async () => {
  const { account, clock, call, check } = book();
  const unreported = async () => (await check()).unreported;
  const { charged: _told, ...untold } = DONE;
  await call(DONE);
  expect(await unreported()).toEqual({ count: 0, reserved: 0, ids: [] });
  const [first, second] = [await call({ ...untold, charged: null }), await call({ ...untold, charged: null })];
  await call({ state: 'unknown' });
  await call({ state: 'charged_lost', httpStatus: 200, charged: null });
  expect(await unreported()).toEqual({ count: 2, reserved: 2_000, ids: [first, second] });
  const later = { accounts: [account], nowMs: clock.nowMs, sinceMs: clock.nowMs + 1, openAtMostMs: 6 * MINUTE_MS };
  expect(await checkLedger(database.db, later)).toMatchObject([{ unreported: { count: 0, ids: [] } }]);
});

test('of many finished calls whose charge is not known the oldest 100 are named', async () => {
  const { call, check } = book();
  const ids: string[] = [];
  for (let n = 0; n < 101; n += 1) ids.push(await call({ ...DONE, charged: null }));
  expect((await check()).unreported).toEqual({ count: 101, reserved: 101_000, ids: ids.slice(0, 100) });
});

test('undecided charges are counted by age, until they are decided', async () => {
  const { ledger, clock, call, check } = book();
  const old = await call({ state: 'unknown', reason: 'HTTP 502' });
  clock.nowMs += 3 * 86_400_000;
  const lost = await call({ state: 'charged_lost', httpStatus: 200, reason: 'cut' });
  expect((await check()).undecided).toEqual([
    { state: 'charged_lost', age: 'under 1 h', count: 1, reserved: 1_000 },
    { state: 'unknown', age: '1 to 7 days', count: 1, reserved: 1_000 },
  ]);
  await ledger.decide({ intentId: old, decision: 'not-charged', by: 'test' });
  await ledger.decide({ intentId: lost, decision: 'abandon', by: 'test' });
  expect((await check()).undecided).toEqual([]);
});

test('stuck rows, contradicted decisions and lost answers are reported', async () => {
  const { ledger, clock, call, check } = book();
  const decided = await call({ state: 'unknown' });
  await ledger.decide({ intentId: decided, decision: 'not-charged', by: 'test' });
  await ledger.settle(decided, DONE);
  const lost = await call(DONE);
  await database.db.updateTable('tramita.intent').set({ body_sha256: null }).where('intent_id', '=', lost).execute();
  const open = await call();
  clock.nowMs += 7 * MINUTE_MS;
  expect(await check()).toMatchObject({ stuckOpen: [open], conflicts: [decided], lostBodies: [lost] });
});

test('a refresh whose end the history reported has no lost answer', async () => {
  const { call, check } = book();
  const { finalState, rawStatus } = { finalState: 'done', rawStatus: 'SUCESSO' } as const;
  const evidence = { proof: 'history', by: 'tramita (reconcile)' };
  await call({ state: 'done', charged: amount(1_000), httpStatus: 200, finalState, rawStatus, evidence });
  expect((await check()).lostBodies).toEqual([]);
});

test('a refresh whose 202 was cut and whose end its status reported has no lost answer', async () => {
  const { ledger, call, check } = book();
  const intentId = await call({ state: 'pending', httpStatus: 202 });
  const evidence = { proof: 'own time' };
  await ledger.settle(intentId, { state: 'done', finalState: 'done', rawStatus: 'SUCESSO', evidence });
  expect((await check()).lostBodies).toEqual([]);
});

test('a call whose answer is a file may stay open for longer', async () => {
  const { account, clock, call } = book();
  const open = await call();
  const check = async (operation: string) => {
    const slow = { operations: [operation], olderThanMs: 16 * MINUTE_MS };
    const request = { accounts: [account], nowMs: clock.nowMs, sinceMs: NOON_MS, openAtMostMs: 6 * MINUTE_MS, slow };
    return (await checkLedger(database.db, request))[0]?.stuckOpen;
  };
  clock.nowMs += 15 * MINUTE_MS;
  expect(await check('requestRefresh')).toEqual([]);
  expect(await check('getElectoralEditionPdf')).toEqual([open]);
  clock.nowMs += 2 * MINUTE_MS;
  expect(await check('requestRefresh')).toEqual([open]);
});

test('an answer in a file is not lost when its row says where the file is', async () => {
  const { ledger, call, check } = book();
  const intentId = await call();
  const file = { stored: 'sha256/ab/x', sha256: 'ab', bytes: 3, contentType: 'application/pdf' };
  await ledger.settle(intentId, { state: 'done', httpStatus: 200, charged: amount(800), evidence: { file } });
  expect((await check()).lostBodies).toEqual([]);
});

test('a paid file that the file store lacks is reported, whether its row has a path or a URL', async () => {
  const { account, ledger, call } = book();
  const bought = async (stored: string): Promise<string> => {
    const intentId = await call();
    const file = { stored, sha256: 'ab', bytes: 3 };
    await ledger.settle(intentId, { state: 'done', httpStatus: 200, charged: amount(800), evidence: { file } });
    return intentId;
  };
  await bought('s3://bucket/sha256/aa/here');
  const missing = [await bought('sha256/ab/gone'), await bought('s3://bucket/sha256/ab/gone')];
  const requested: string[] = [];
  const [found] = await checkLedger(database.db, {
    accounts: [account],
    nowMs: Date.now(),
    sinceMs: 0,
    openAtMostMs: MINUTE_MS,
    goneFiles: (stored) => {
      requested.push(...stored);
      return Promise.resolve(new Set(stored.filter((name) => name.endsWith('gone'))));
    },
  });
  expect(found?.lostFiles).toEqual(missing);
  expect(requested).toHaveLength(3);
});

test('a charged free read is reported, and not as a lost answer', async () => {
  const { account, ledger, call, check } = book();
  await call();
  await ledger.bookUnexpected({
    account,
    operation: 'getRefreshStatus',
    workflowId: 'w',
    firstRunId: account,
    workflowType: 'refreshCase',
    charged: amount(50),
    balanceAfter: null,
    metaRequestId: null,
    searchLogId: null,
    httpStatus: 200,
  });
  const found = await check();
  expect([found.unexpected.length, found.lostBodies]).toEqual([1, []]);
});

test('a row that joined a copy instead of the original is reported', async () => {
  const { account, ledger, check } = book();
  const request = refreshRequest({ account });
  await ledger.settle(intentOf(await ledger.openIntent(request)).intentId, DONE);
  const copies = [elsewhere(request), elsewhere(request)].map((copy) => ({ ...copy, maxAgeMs: MINUTE_MS }));
  const [first, second] = await Promise.all(copies.map(async (copy) => intentOf(await ledger.openIntent(copy))));
  expect((await check()).lostOriginals).toEqual([]);
  await database.db
    .updateTable('tramita.intent')
    .set({ joined: first?.intentId ?? null })
    .where('intent_id', '=', second?.intentId ?? '')
    .execute();
  expect((await check()).lostOriginals).toEqual([second?.intentId]);
});

test('unknownIntents returns the spooled answers that have no row', async () => {
  const { call } = book();
  const known = await call();
  const stranger = randomUUID();
  expect(await unknownIntents(database.db, [known, stranger])).toEqual([stranger]);
});

test('the export gives every row once, oldest first, with any batch size', async () => {
  const { account, clock, call } = book();
  const ids: string[] = [];
  for (let count = 0; count < 7; count += 1) ids.push(await call(DONE));
  const read = async (filter: object, batch?: number): Promise<string[]> => {
    const seen: string[] = [];
    for await (const { intentId } of exportIntents(database.db, { account, ...filter }, batch)) seen.push(intentId);
    return seen;
  };
  expect(await read({})).toEqual(ids);
  expect(await read({}, 2)).toEqual(ids);
  expect(await read({}, 7)).toEqual(ids);
  const third = NOON_MS + 3 * MINUTE_MS + 2_000;
  expect(await read({ fromMs: third }, 2)).toEqual(ids.slice(2));
  expect(await read({ fromMs: third, beforeMs: third + 1 })).toEqual([ids[2]]);
  expect(await read({ fromMs: clock.nowMs + 1 })).toEqual([]);
});

test('undecided charges are found by state, flow, reason, time and operation', async () => {
  const { account, ledger, clock } = book();
  const open = async (settlement: Settlement, workflowId: string): Promise<string> => {
    const { intentId } = intentOf(await ledger.openIntent(refreshRequest({ account, workflowId })));
    await ledger.settle(intentId, settlement);
    clock.nowMs += MINUTE_MS;
    return intentId;
  };
  const first = await open({ state: 'unknown', reason: 'HTTP 502' }, 'refresh/a_b');
  const second = await open({ state: 'unknown', reason: 'no answer in time' }, 'refresh/axb');
  const lost = await open({ state: 'charged_lost', reason: 'the body was CUT' }, 'other/1');
  await open(DONE, 'refresh/done');
  const find = async (filter: object) =>
    (await listUndecided(database.db, { account, ...filter })).map(({ intentId }) => intentId);
  expect(await find({})).toEqual([first, second, lost]);
  expect(await find({ state: 'unknown' })).toEqual([first, second]);
  expect(await find({ workflowPrefix: 'refresh/a_' })).toEqual([first]);
  expect(await find({ reason: 'cut' })).toEqual([lost]);
  expect(await find({ reason: '%' })).toEqual([]);
  expect(await find({ openedUntilMs: NOON_MS })).toEqual([first]);
  expect(await find({ operation: 'getCase' })).toEqual([]);
});

test('the metrics give the charges of today and the current reservations and holds', async () => {
  const { account, ledger, clock, call } = book();
  await call(DONE);
  clock.nowMs += 86_400_000;
  await call({ ...DONE, charged: amount(700) });
  await call({ state: 'unknown' });
  await call();
  await ledger.throttle(account, clock.nowMs + MINUTE_MS);
  const figures = await readFigures(database.db, { accounts: [account], nowMs: clock.nowMs });
  expect(figures.chargedToday).toEqual([
    { account, operation: 'requestRefresh', source: 'told', amount: 700, calls: 1 },
  ]);
  expect(figures.reserved.find((row) => row.account === account)).toMatchObject({ amount: 2_000, calls: 2 });
  expect(figures.holds.find((row) => row.account === account)).toEqual({
    account,
    outage: false,
    throttled: false,
    freeThrottled: true,
    failures: 1,
  });
  expect(figures.open).toBeGreaterThan(0);
});

test('a check on a machine without the folder of a worker says what it did not look for, and raises no alarm', async () => {
  const { ledger } = makeLedger(database.db, { settings: { prices: PRICES } });
  const { intentId } = intentOf(await ledger.openIntent(refreshRequest({ account: 'default' })));
  const sha256 = 'a'.repeat(64);
  const file = { stored: pathOf(sha256), sha256, bytes: 3 };
  await ledger.settle(intentId, { state: 'done', httpStatus: 200, charged: amount(1_000), evidence: { file } });
  const filesDir = join(tmpdir(), `tramita-no-folder-${randomUUID()}`);
  const check = (...more: string[]) =>
    runCommand(['ledger', 'check', '--account', 'default', ...more], {
      TRAMITA_DATABASE_URL: database.directUrl,
      TRAMITA_FILES_DIR: filesDir,
    });
  const { exitCode, out } = await check();
  const where = `were not looked for: this machine has no folder ${filesDir}; set TRAMITA_FILES_DIR to the folder of a worker, on its machine`;
  expect(out).toContain(`- paid files and spooled answers ${where}\n`);
  expect([exitCode, out]).toEqual([0, expect.not.stringContaining('! ')]);
  expect((await check('--no-files', '--json')).json()).toMatchObject({
    needsPerson: false,
    folder: `spooled answers ${where}`,
  });
});
