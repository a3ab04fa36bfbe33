/** An erasure takes a number out of an idempotency key, and a later start with that key still finds what it has paid for. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { formatCnj, type CivilDate } from '../../src/contract/index.js';
import { createFiles } from '../../src/files/index.js';
import type { OpenIntent } from '../../src/ledger/index.js';
import {
  eraseSubject,
  openOwnDisk,
  parseSubject,
  seekNumber,
  seekToken,
  tokenOfSubject,
  type SubjectKind,
} from '../../src/privacy/index.js';
import { createLawyerCollections, createNotices, createPortfolios, onceOf } from '../../src/records/index.js';
import type { PlannedBy } from '../../src/records/notices/types.js';
import { newCase } from '../support/case-number.js';
import { withDatabase } from '../support/database.js';
import { NO_FLOWS, token } from '../support/plant-subject.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { amount, elsewhere, intentOf, jsonBody, makeLedger, refreshRequest } from './support.js';

const database = withDatabase();
const filesDir = temporaryFolder('subject');
const CPF = '93541134780';
const NOME = 'Lúcia Moraes Fictício';

async function erase(kind: SubjectKind, value: string, byToken = false): Promise<void> {
  const read = parseSubject(kind, value);
  if (!read.ok) throw new Error(read.problem);
  const mark = tokenOfSubject(token, read.subject);
  const erased = await eraseSubject(
    { db: database.db, token, disk: openOwnDisk(filesDir), files: createFiles({ filesDir }), flows: NO_FLOWS },
    {
      kind,
      token: mark,
      by: 'ana',
      reason: 'asked',
      sought: byToken ? seekToken(token, kind, mark) : seekNumber(token, read.subject),
      cancel: false,
      clock: Date.now,
    },
  );
  expect(erased.kind).toBe('erased');
}

async function pay(request: OpenIntent, body: unknown = {}): Promise<string> {
  const { ledger } = makeLedger(database.db);
  const { intentId } = intentOf(await ledger.openIntent(request));
  const settlement = { state: 'done', charged: amount(5), httpStatus: 200, body: jsonBody(body) } as const;
  await ledger.settle(intentId, settlement);
  return intentId;
}

async function onceOfRow(intentId: string): Promise<string> {
  return (await makeLedger(database.db).ledger.find(intentId))?.once ?? '';
}

async function expectPaid(request: OpenIntent, intentId: string): Promise<void> {
  const { ledger } = makeLedger(database.db);
  const { account, workflowType, step, once = '' } = request;
  expect(await ledger.mayBePaid({ account, workflowType, step, once })).toBe(true);
  expect(await ledger.mayBePaid({ account, workflowType, step, once: `${once}.` })).toBe(false);
  expect(await ledger.openIntent(elsewhere(request))).toMatchObject({ kind: 'stored', intent: { joined: intentId } });
}

const once = (key: string): OpenIntent => refreshRequest({ operation: 'getCase', once: key });

test.each([
  ['cnj', newCase(), (value: string) => `report ${formatCnj(value)}`],
  ['cpf', CPF, (value: string) => `client/${value.slice(0, 3)}/${value.slice(3, 6)}/${value.slice(6)}`],
  ['oab', 'SP:123456', () => 'OAB/SP 123.456'],
] as const)('a key with a %s that is erased is not paid again', async (kind, value, keyOf) => {
  const request = once(keyOf(value));
  const paid = await pay(request);
  await erase(kind, value);
  expect(await onceOfRow(paid)).toMatch(/^erased:key:[\w-]{32}$/);
  await expectPaid(request, paid);
  // The start has written the key again: it is erased again, also when only the token is known, as after a restore.
  await erase(kind, value, true);
  await expectPaid(request, paid);
});

test('a key is found after one of its numbers was erased, and after the other one was', async () => {
  const cnj = newCase();
  const request = once(`RJ:765432 ${cnj}`);
  const paid = await pay(request);
  await erase('oab', 'RJ:765432');
  expect(await onceOfRow(paid)).not.toContain(cnj);
  await expectPaid(request, paid);
  await erase('cnj', cnj);
  await expectPaid(request, paid);
});

test('a key is found after a name in it was erased, which only other data has with the number', async () => {
  const cnj = newCase();
  await pay(once('other'), { numero: cnj, parte: { nome: NOME, cpf: CPF } });
  const request = once(`${cnj} ${NOME}`);
  const paid = await pay(request);
  await erase('cpf', CPF);
  expect(await onceOfRow(paid)).not.toContain(NOME);
  await expectPaid(request, paid);
});

test('what a round of a portfolio has cost still counts after one of its cases was erased', async () => {
  const cnj = newCase();
  const portfolios = createPortfolios({ db: database.db });
  const round = 'default/list/once/night';
  await portfolios.openRound({ round, account: 'default', name: 'list', cases: [cnj] as never, nowMs: 1 });
  const request = { ...once(onceOf(round, cnj)), workflowType: 'refreshCase' as const };
  const paid = await pay(request);
  await erase('cnj', cnj);
  expect(await onceOfRow(paid)).toMatch(/^portfolio\/default\/list\/once\/night\/erased:key:[\w-]{32}$/);
  expect(await portfolios.spentOf(round)).toEqual({ known: 5, unknown: 0 });
  await expectPaid(request, paid);
});

test('a key in the name of whose round a number was erased is found', async () => {
  const [cnj, lawyer] = [newCase(), 'MG:345678'];
  const request = once(onceOf(`default/list/once/${lawyer}`, cnj));
  const paid = await pay(request);
  await erase('cnj', cnj);
  await expectPaid(request, paid);
  await erase('oab', lawyer);
  expect(await onceOfRow(paid)).toMatch(/^erased:key:[\w-]{32}$/);
  await expectPaid(request, paid);
});

test('the end of an import and the plan of a sync are found under a key that was erased', async () => {
  const { db } = database;
  const [lawyers, notices] = [createLawyerCollections({ db, token }), createNotices({ db, token })];
  const [account, start] = ['default', 'OAB/BA 456.789 of May'];
  const setId = randomUUID();
  await lawyers.stage(setId, { targetHash: 't', page: 1, records: [] });
  const end = { start, restarts: 0, paidChecks: 1 };
  await lawyers.commit({ account, oab: 'SP:1', setId, version: 'v', pages: 1, nowMs: 1, end });
  const plannedOn = (today: string): PlannedBy => ({ today: today as CivilDate, readUntil: [today as CivilDate] });
  const [first, later] = [plannedOn('2026-03-10'), plannedOn('2026-03-17')];
  expect(await notices.keepFirst({ account, start, now: first })).toEqual(first);
  await erase('oab', 'BA:456789');
  const { rows } = await sql`select once from tramita.import_end union select once from tramita.notice_plan`.execute(
    db,
  );
  expect(rows).toEqual([{ once: expect.stringMatching(/^erased:key:[\w-]{32}$/) as string }]);
  expect(await lawyers.endOf({ account, start })).toMatchObject({ pages: 1, paidChecks: 1 });
  expect(await notices.peekFirst({ account, start })).toEqual(first);
  expect(await notices.keepFirst({ account, start, now: later })).toEqual(first);
  expect(await notices.keepFirst({ account, start: `${start}.`, now: later })).toEqual(later);
});

test('the look-up of a key uses its index', async () => {
  const { rows } = await database.db.transaction().execute(async (trx) => {
    await sql`set local enable_seqscan = off`.execute(trx);
    return sql<Record<string, string>>`explain select from tramita.intent
      where account = 'a' and workflow_type = 'b' and once = any(${['c', 'd']}::text[]) and step = 'e'`.execute(trx);
  });
  expect(JSON.stringify(rows)).toContain('intent_once');
});
