/**
 * Output of the installed program into a slow pipe arrives whole, even a megabyte. A log on a full disk stops no
 * program.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { packageRoot } from '../../src/local/index.js';
import { withDatabase } from '../support/database.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const MAIN = join(packageRoot(), 'dist', 'src', 'cli', 'main.js');
const LOG = join(packageRoot(), 'dist', 'src', 'cli', 'output', 'log.js');
const MEGABYTE = 1_000_000;
/** The reader starts long after the pipe is full and the program has nothing left to do. */
const READER_SLEEPS_MS = 1_500;
const ROWS = 3_000;

describe('a log that cannot be written', () => {
  it.each(['warn', 'error'])('does not stop the program, at level %s', async (level) => {
    const script = `
      const log = require(${JSON.stringify(LOG)}).createLog({ program: 'worker', level: 'info' });
      for (let line = 0; line < 5_000; line += 1) log[process.argv[1]]({ line, text: 'x'.repeat(1_000) }, 'a disk is full');
      process.stdout.write('goes on')`;
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, ['-e', script, level], { stdio: ['ignore', 'pipe', full] });
    closeSync(full);
    expect(await text(child.stdout!)).toBe('goes on');
  });
});

describe('a command whose output cannot be written', () => {
  it('prints one line and exits with 1', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [MAIN, 'operations', '--json'], {
      stdio: ['ignore', full, 'pipe'],
      env: {},
    });
    closeSync(full);
    expect(await text(child.stderr!)).toBe('tramita: the output cannot be written (ENOSPC)\n');
    expect(child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve)))).toBe(1);
  });
});

describe('a pipe that is read slowly', () => {
  const database = withDatabase();
  const folder = temporaryFolder('pipes');
  const settings = join(folder, 'settings.json');

  beforeAll(async () => {
    if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run \`npm run build\` first`);
    const operations = Array.from({ length: 6_000 }, (_, index) => ({
      id: `generated${index}`,
      method: 'GET',
      path: `/v1/generated/${index}/${'x'.repeat(60)}`,
      charge: 'free',
    }));
    writeFileSync(settings, JSON.stringify({ operations }));
    await sql`
      insert into tramita.intent (intent_id, account, workflow_id, first_run_id, workflow_type, step, ordinal, operation, subject, flags,
        state, reserved, webhook_expected, opened_at, settled_at, waiter_keys, locks)
      select gen_random_uuid(), 'default', 'refresh.default.' || lpad(n::text, 20, '0'), md5(n::text), 'refreshCase', 'requestRefresh', 1,
        'requestRefresh', repeat('s', 150), '{}', 'not_sent', 0, false, now(), now(), '{}', '{}'
      from generate_series(1, ${ROWS}) as n`.execute(database.db);
    await sql`
      insert into tramita.event (account, event_key, event_id, event, body, body_sha256, conflict, keys, received_at)
      select 'default', md5(n::text), 'event-' || n, 'test', convert_to(repeat('b', 1200), 'UTF8'), md5(n::text), false, '{}', now()
      from generate_series(1, 900) as n`.execute(database.db);
  });

  async function readSlowly(args: readonly string[]): Promise<string> {
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { PATH, HOME, TRAMITA_DATABASE_URL: database.url, TRAMITA_CONFIG: settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await sleep(READER_SLEEPS_MS);
    const out = await text(child.stdout);
    expect({ exitCode: await ended, errors }).toEqual({ exitCode: 0, errors: '' });
    return out;
  }

  it.each([
    [['ledger', 'export', '--format', 'json'], (text: string) => (JSON.parse(text) as unknown[]).length, ROWS],
    [['ledger', 'export', '--format', 'csv'], (text: string) => text.trimEnd().split('\r\n').length, ROWS + 1],
    [['ledger', 'list', '--limit', '5000', '--json'], (text: string) => (JSON.parse(text) as unknown[]).length, ROWS],
    [
      ['events', 'list', '--limit', '1000', '--json', '--bodies', '--by', 'test'],
      (text: string) => (JSON.parse(text) as { events: unknown[] }).events.length,
      900,
    ],
    [['operations', '--json'], (text: string) => (JSON.parse(text) as unknown[]).length, 6_030],
  ])('gets the whole output of tramita %j', async (args, count, expected) => {
    const out = await readSlowly(args);
    expect(out.length).toBeGreaterThan(MEGABYTE);
    expect(count(out)).toBe(expected);
  });
});
