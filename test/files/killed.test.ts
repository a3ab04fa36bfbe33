/**
 * A process that lands files and brings them to their store, killed with -9 again and again on the same folder. What it had said
 * to have landed is in the store in the end, whole; no half file is ever taken for one.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFiles, type StorePlace } from '../../src/files/index.js';
import { describeWithS3 } from '../support/s3-server.js';
import { newDirectory, shaOfBytes } from './support.js';

const DOOR = join(__dirname, '..', '..', 'dist', 'src', 'files', 'index.js');
const KILLS_AFTER_MS = [0, 15, 40, 80, 130, 200];
const FILE_BYTES = 3_000_000;

/** Endless: each file is said when it has landed, and brought while the next one lands. */
const PROGRAM = `
  const { createFiles, storeByHash } = require(process.argv[1]);
  const { randomBytes } = require('node:crypto');
  const files = createFiles(JSON.parse(process.argv[2]));
  async function* pieces() { for (let i = 0; i < 30; i += 1) yield randomBytes(${FILE_BYTES / 30}); }
  (async () => {
    for (;;) {
      const { sha256 } = await storeByHash(files.landing, pieces(), () => undefined);
      process.stdout.write('landed ' + sha256 + '\\n');
      files.keep(sha256).catch(() => undefined);
    }
  })();`;

async function runAndKill(settings: object, afterMs: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, ['-e', PROGRAM, DOOR, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (said === '') setTimeout(() => child.kill('SIGKILL'), afterMs);
    said += text;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return [...said.matchAll(/landed ([0-9a-f]{64})\n/g)].map(([, sha256 = '']) => sha256);
}

/** Everything that was said, and the hashes under which the store has something. */
async function killedAgainAndAgain(fileStore: StorePlace): Promise<readonly string[]> {
  const settings = { filesDir: newDirectory(), fileStore };
  const landed: string[] = [];
  for (const afterMs of KILLS_AFTER_MS) landed.push(...(await runAndKill(settings, afterMs)));
  expect(landed.length).toBeGreaterThanOrEqual(KILLS_AFTER_MS.length);
  const next = createFiles(settings);
  while ((await next.bringOwed()) > 0);
  expect([...(await createFiles({ ...settings, filesDir: newDirectory() }).missing(landed.map(nameOf)))]).toEqual([]);
  return landed;
}

const nameOf = (sha256: string): string => `sha256/${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;

test('a directory: nothing lost, nothing half', async () => {
  const path = newDirectory();
  await killedAgainAndAgain({ kind: 'directory', path });
  const kept = readdirSync(path, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.startsWith('.part-'),
  );
  for (const { parentPath, name } of kept) expect(shaOfBytes(readFileSync(join(parentPath, name)))).toBe(name);
}, 60_000);

describeWithS3('S3, its writers killed', (server) => {
  it('nothing lost, nothing half', async () => {
    const endpoint = `http://${server.address}`;
    await killedAgainAndAgain({
      kind: 's3',
      bucket: server.bucket,
      prefix: '',
      endpoint,
      region: 'us-east-1',
      pathStyle: true,
    });
    for (const key of await server.keys()) expect(key.endsWith(shaOfBytes(await server.read(key)))).toBe(true);
  }, 60_000);
});
