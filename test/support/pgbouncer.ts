/**
 * A real PgBouncer in transaction mode between the tests and PostgreSQL, where TRAMITA_TEST_PGBOUNCER=1 asks for it. Its
 * pools are small and it ignores nothing, so session settings, named statements and session locks are refused or make a test
 * fail. It reads the address of the server from TRAMITA_TEST_DATABASE_URL, and sets its own in TRAMITA_TEST_POOLER_URL.
 */
import './js-means-ts.cjs';
import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../../src/local/index.js';
import { BRIDGE_ROLE } from '../../src/store/index.js';

/** Contains characters that have to be quoted in SQL and encoded in a URL. */
export const BRIDGE_PASSWORD = "it's a pass;word";

const STARTS_WITHIN_MS = 10_000;
/** PgBouncer refuses to run as root. */
const NOBODY = 65_534;
const { env } = process;

export interface Pooler {
  readonly stop: () => Promise<void>;
}

/** Undefined when it is not asked for, or when another set-up of this run has started it. */
export async function poolerUp(): Promise<Pooler | undefined> {
  if (env['TRAMITA_TEST_PGBOUNCER'] !== '1' || env['TRAMITA_TEST_POOLER_URL'] !== undefined) return undefined;
  const program = findPgBouncer();
  const server = new URL(env['TRAMITA_TEST_DATABASE_URL'] ?? '');
  const folder = mkdtempSync(join(tmpdir(), 'tramita-test-pgbouncer-'));
  const port = await freePort();
  const users = [
    [decodeURIComponent(server.username), decodeURIComponent(server.password)],
    [BRIDGE_ROLE, BRIDGE_PASSWORD],
  ];
  const files = {
    'users.txt': users.map(([user, password]) => `"${user}" "${password}"\n`).join(''),
    'pgbouncer.ini': [
      '[databases]',
      `* = host=${server.hostname} port=${server.port}`,
      '[pgbouncer]',
      'pool_mode = transaction',
      `listen_addr = 127.0.0.1`,
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${join(folder, 'users.txt')}`,
      'max_client_conn = 2000',
      'default_pool_size = 12',
      'server_idle_timeout = 5',
      '',
    ].join('\n'),
  };
  const isRoot = process.getuid?.() === 0;
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  if (isRoot) for (const path of ['', ...Object.keys(files)]) chownSync(join(folder, path), NOBODY, NOBODY);
  const child = spawn(program, ['-q', join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
    delete env['TRAMITA_TEST_POOLER_URL'];
  };
  server.port = String(port);
  if (!(await answers(server.href))) {
    await stop();
    throw new Error('the PgBouncer of the tests did not start; its messages are above');
  }
  env['TRAMITA_TEST_POOLER_URL'] = server.href;
  return { stop };
}

/** Looks in sbin folders too: Debian puts it there, and a user's PATH may lack them. */
function findPgBouncer(): string {
  const folders = [...(env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const found = folders.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(
    'TRAMITA_TEST_PGBOUNCER=1 needs the program pgbouncer, which is not installed: ' +
      'apt-get install pgbouncer (Debian, Ubuntu), dnf install pgbouncer (Fedora) or brew install pgbouncer (macOS)',
  );
}

async function answers(url: string): Promise<boolean> {
  for (const endsAt = performance.now() + STARTS_WITHIN_MS; performance.now() < endsAt;) {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    const works = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (works) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}
