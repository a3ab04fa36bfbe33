/** Erasing what is about a subject and does not name it: answers and journal lines on a worker's disk, and a list that was not finished. */
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createFiles } from '../../src/files/index.js';
import { createJournal, createSpool, type Spool } from '../../src/ledger/index.js';
import {
  eraseSubject,
  held,
  honourErasures,
  openOwnDisk,
  parseSubject,
  seekNumber,
  type Flows,
  type Sought,
  type SubjectKind,
} from '../../src/privacy/index.js';
import { newCase } from '../support/case-number.js';
import { withDatabase } from '../support/database.js';
import { NO_FLOWS, token } from '../support/plant-subject.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const LAWYER = 'SP:123456';
const database = withDatabase();
const newFolder = (): string => temporaryFolder('unnamed');

function soughtOf(kind: SubjectKind, value: string): Sought {
  const read = parseSubject(kind, value);
  if (!read.ok) throw new Error(read.problem);
  return seekNumber(token, read.subject);
}

/** A settled call whose answer is in the ledger and in the spool of the worker, and whose line is in its journal. */
async function buy(filesDir: string, workflowId: string, answer: unknown): Promise<string> {
  const intentId = randomUUID();
  const bytes = Buffer.from(JSON.stringify(answer));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await sql`insert into tramita.answer_body (sha256, bytes, content_type, stored_at)
    values (${sha256}, ${bytes}, 'application/json', now())`.execute(database.db);
  await sql`
    insert into tramita.intent (intent_id, account, workflow_id, first_run_id, workflow_type, step, ordinal, operation, subject,
      flags, state, reserved, charged, http_status, body_sha256, webhook_expected, opened_at, settled_at, waiter_keys, locks)
    values (${intentId}::uuid, 'default', ${workflowId}, ${intentId}, 'readCase', 's', 1, 'getCase', 's', '{}', 'done', 0, 1, 200,
      ${sha256}, false, now(), now(), '{}', '{}')`.execute(database.db);
  const spool = createSpool(join(filesDir, 'spool'));
  await spool.write(intentId, { state: 'done', charged: null } as never, bytes);
  await spool.keep(intentId);
  await spool.close();
  const journal = createJournal(join(filesDir, 'journal'));
  const call = { intentId, account: 'default', operation: 'getCase', subject: 's', workflowId, waiterKeys: [] };
  await journal.append({ ...call, reserved: 5, openedAtMs: 1 } as never);
  await journal.close();
  return intentId;
}

async function keptIn(filesDir: string, intentId: string): Promise<string> {
  const spool: Spool = createSpool(join(filesDir, 'spool'));
  const read = await spool.readKept(intentId, Date.now());
  await spool.close();
  return read.kind === 'found' ? (read.settlement.body?.bytes.toString() ?? '') : read.kind;
}

async function journalOf(filesDir: string): Promise<string> {
  const entries: unknown[] = [];
  for await (const entry of createJournal(join(filesDir, 'journal')).entries()) entries.push(entry);
  return JSON.stringify(entries);
}

const holdingsOf = (filesDir: string, flows: Flows = NO_FLOWS) => ({
  db: database.db,
  token,
  disk: openOwnDisk(filesDir),
  files: createFiles({ filesDir }),
  flows,
});

async function placesOf(filesDir: string, sought: Sought, flows?: Flows): Promise<readonly string[]> {
  const places = new Set<string>();
  for await (const { place } of held(holdingsOf(filesDir, flows), sought)) places.add(place);
  return [...places].sort();
}

const orderOf = (sought: Sought) => ({
  ...sought,
  sought,
  by: 'ana',
  reason: 'asked',
  cancel: false,
  clock: Date.now,
});

const cnj = newCase();
describe.each([
  ['cnj', cnj, `case.default.${cnj}`],
  ['cnj', newCase(), undefined],
  ['oab', LAWYER, `import.default.${token('oab', LAWYER)}`],
] as const)('an answer about a %s that it does not name', (kind, value, id) => {
  const workflowId = id ?? `case.default.${token('case', value)}`;
  const answer = {
    meta: { requestId: randomUUID() },
    data: { documentos: [{ titulo: `Petição de ${randomUUID()}` }] },
  };
  const sought = soughtOf(kind, value);

  it('is erased from the disk of every worker, also if the first attempt was killed', async () => {
    const [mine, theirs] = [newFolder(), newFolder()];
    const [own, other] = [
      await buy(mine, workflowId, answer),
      await buy(theirs, workflowId, { ...answer, meta: { requestId: randomUUID() } }),
    ];
    const left = await buy(mine, `case.default.${newCase()}`, { ...answer, meta: { requestId: randomUUID() } });
    const { journalId } = await createJournal(join(theirs, 'journal')).state();
    await sql`insert into tramita.ledger_journal (journal_id, label) values (${journalId}::uuid, 'theirs')`.execute(
      database.db,
    );
    expect(await placesOf(mine, sought)).toEqual(expect.arrayContaining(['answers', 'journal', 'ledger', 'spool']));

    const onStep = (place: string): void => {
      if (place === 'ledger') throw new Error('killed');
    };
    await expect(eraseSubject(holdingsOf(mine), { ...orderOf(sought), onStep })).rejects.toThrow('killed');
    expect(await keptIn(mine, own)).toContain('Petição');
    expect(await eraseSubject(holdingsOf(mine), orderOf(sought))).toMatchObject({ waitsFor: ['theirs'] });
    expect(await honourErasures(holdingsOf(theirs))).toBe(1);

    expect([await keptIn(mine, own), await keptIn(theirs, other)]).toEqual(
      Array.from({ length: 2 }, () => JSON.stringify({ erased: sought.mark })),
    );
    expect(await keptIn(mine, left)).toContain('Petição');
    const words = workflowId.slice(workflowId.lastIndexOf('.') + 1);
    for (const folder of [mine, theirs]) expect(await journalOf(folder)).not.toContain(words);
    expect(await placesOf(mine, sought)).toEqual([]);
    await sql`delete from tramita.ledger_journal`.execute(database.db);
  });
});

it('a late answer that contradicts a decision is erased with its call', async () => {
  const [number, filesDir] = [newCase(), newFolder()];
  const intentId = await buy(filesDir, `case.default.${number}`, { data: { id: randomUUID() } });
  const late = randomUUID();
  await sql`insert into tramita.answer_body (sha256, bytes, content_type, stored_at)
    values (${late}, ${Buffer.from('{"data":{"titulo":"Tardia"}}')}, 'application/json', now())`.execute(database.db);
  await sql`insert into tramita.settlement_conflict (intent_id, settlement, body_sha256, found_at)
    values (${intentId}::uuid, '{}', ${late}, now())`.execute(database.db);
  await eraseSubject(holdingsOf(filesDir), orderOf(soughtOf('cnj', number)));
  const { rows } = await sql<{ readonly bytes: Buffer | null }>`
    select bytes from tramita.answer_body where sha256 = ${late}`.execute(database.db);
  expect(rows).toEqual([]);
});

it('a list of a lawyer that was not read to its end is erased, and that of another lawyer stays', async () => {
  const sought = soughtOf('oab', 'RJ:765432');
  const [own, other] = [randomUUID(), randomUUID()];
  for (const set of [own, other]) {
    await sql`insert into tramita.lawyer_page (set_id, target_hash, page, fingerprint) values (${set}::uuid, 'page 1', 1, 'x')`.execute(
      database.db,
    );
    await sql`insert into tramita.lawyer_case (set_id, row_key, cnj, sensitivity, data, data_hash)
      values (${set}::uuid, ${cnj}, ${cnj}, 'PERSONAL', '{}', 'x')`.execute(database.db);
  }
  const run = (oab: string, setId: string) => ({
    workflowId: `import.default.${token('oab', oab)}`,
    runId: randomUUID(),
    type: 'importLawyerCases',
    isRunning: false,
    texts: [JSON.stringify({ account: 'default', oab, intentId: randomUUID(), setId, complete: true })],
  });
  let runs = [run('RJ:765432', own), run('SP:1', other)];
  const flows: Flows = {
    ...NO_FLOWS,
    // eslint-disable-next-line @typescript-eslint/require-await -- nothing to wait for
    async *runs() {
      yield* runs;
    },
    remove: (gone) => {
      runs = runs.filter(({ runId }) => runId !== gone.runId);
      return Promise.resolve();
    },
  };
  const filesDir = newFolder();
  expect(await placesOf(filesDir, sought, flows)).toEqual(['flows', 'lawyer lists']);
  await eraseSubject(holdingsOf(filesDir, flows), orderOf(sought));
  for (const table of ['lawyer_case', 'lawyer_page']) {
    const { rows } = await sql`select set_id from ${sql.table(`tramita.${table}`)}`.execute(database.db);
    expect(rows).toEqual([{ set_id: other }]);
  }
});

test('a lawyer is erased from the reasons of requests, in the erasure log too', async () => {
  const sought = soughtOf('oab', 'RJ:54321');
  const filesDir = newFolder();
  const holdings = {
    db: database.db,
    token,
    disk: openOwnDisk(filesDir),
    files: createFiles({ filesDir }),
    flows: NO_FLOWS,
  };
  const order = {
    kind: 'oab',
    token: sought.token,
    by: 'ana',
    reason: 'letter of OAB/RJ 54321',
    clock: Date.now,
  } as const;
  await eraseSubject(holdings, { ...order, sought, cancel: false });
  const { rows } = await sql`select reason from tramita.erasure where token = ${sought.token}`.execute(database.db);
  expect(rows).toEqual([{ reason: `letter of ${sought.mark}` }]);
});
