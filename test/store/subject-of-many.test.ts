/** The search for a subject reads every row, and remembers only what is about the subject: millions of others fit in no process. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { createFiles } from '../../src/files/index.js';
import { held, openOwnDisk, parseSubject, seekNumber } from '../../src/privacy/index.js';
import { newCase } from '../support/case-number.js';
import { withDatabase } from '../support/database.js';
import { NO_FLOWS, token } from '../support/plant-subject.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { NOON_MS } from './support.js';

const OTHERS = 6_000;
/** Far above what is about one subject. */
const MOST_REMEMBERED = 1_000;

const database = withDatabase();
const filesDir = temporaryFolder('subject');

const now = sql`to_timestamp(${NOON_MS / 1_000}::double precision)`;

/** One paid call of a flow about each case, and a document with a file. Calls with equal `answers` got the same answer. */
async function insertCalls(cases: readonly string[], answers: readonly string[]): Promise<void> {
  const called = sql`unnest(${[...cases]}::text[], ${[...answers]}::text[]) as called (cnj, answer)`;
  await sql`
    insert into tramita.answer_body (sha256, bytes, content_type, stored_at)
    select distinct answer, convert_to('{"n":1}', 'UTF8'), 'application/json', ${now} from ${called}
    on conflict do nothing`.execute(database.db);
  await sql`
    insert into tramita.intent (intent_id, account, workflow_id, first_run_id, workflow_type, step, ordinal, operation, subject,
      flags, state, reserved, charged, http_status, body_sha256, webhook_expected, opened_at, settled_at, waiter_keys, locks)
    select gen_random_uuid(), 'default', 'case.default.' || cnj, 'run', 'readCase', answer, 1, 'getCase', cnj, '{}', 'done', 0, 1, 200,
      answer, false, ${now}, ${now}, '{}', '{}' from ${called}`.execute(database.db);
  await sql`
    insert into tramita.public_document (account, cnj, document_id, data, data_hash, listed_at, sha256, stored)
    select 'default', cnj, answer, '{}', answer, ${now}, encode(sha256(convert_to(answer, 'UTF8')), 'hex'), 'stored' from ${called}`.execute(
    database.db,
  );
}

/** Runs `run` and returns the size of the largest set that it has filled. */
async function largestSetOf(run: () => Promise<void>): Promise<number> {
  let largest = 0;
  const add = Set.prototype.add;
  Set.prototype.add = function (this: Set<unknown>, value: unknown): Set<unknown> {
    add.call(this, value);
    largest = Math.max(largest, this.size);
    return this;
  };
  try {
    await run();
  } finally {
    Set.prototype.add = add;
  }
  return largest;
}

test('few hashes are remembered, and an answer that another case got too stays', async () => {
  const cnj = newCase();
  const others = Array.from({ length: OTHERS }, (_, n) => `1${String(n).padStart(19, '0')}`);
  await insertCalls(others, others);
  const own = randomUUID();
  await insertCalls([cnj, cnj], [own, others[0] ?? '']);

  const read = parseSubject('cnj', cnj);
  if (!read.ok) throw new Error(read.problem);
  const sought = seekNumber(token, read.subject);
  const answers: string[] = [];
  const largest = await largestSetOf(async () => {
    const disk = openOwnDisk(filesDir);
    const holdings = { db: database.db, token, disk, files: createFiles({ filesDir }), flows: NO_FLOWS };
    for await (const { place, key } of held(holdings, sought)) if (place === 'answers') answers.push(...key);
  });
  expect(answers).toEqual([own]);
  expect(largest).toBeLessThan(MOST_REMEMBERED);
});
