/**
 * A process that downloads files and stores them is killed with SIGKILL again and again on the same folder. Every file that
 * it reported as landed is whole in the store at the end. No partial file is ever taken for a whole one.
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

/** Runs forever: prints each file when it has landed, and stores it while the next one lands. */
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
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output === '') setTimeout(() => child.kill('SIGKILL'), afterMs);
    output += text;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return [...output.matchAll(/landed ([0-9a-f]{64})\n/g)].map(([, sha256 = '']) => sha256);
}

/** Kills writers again and again; returns the hashes that they reported, all of which the store has. */
async function killRepeatedly(fileStore: StorePlace): Promise<readonly string[]> {
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

test('a directory store loses no file and has no partial file when its writers are killed', async () => {
  const path = newDirectory();
  await killRepeatedly({ kind: 'directory', path });
  const stored = readdirSync(path, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.startsWith('.part-'),
  );
  for (const { parentPath, name } of stored) expect(shaOfBytes(readFileSync(join(parentPath, name)))).toBe(name);
});

describeWithS3('an S3 store whose writers are killed', (server) => {
  it('loses no file and has no partial file', async () => {
    const endpoint = `http://${server.address}`;
    await killRepeatedly({
      kind: 's3',
      bucket: server.bucket,
      prefix: '',
      endpoint,
      region: 'us-east-1',
      pathStyle: true,
    });
    for (const key of await server.keys()) expect(key.endsWith(shaOfBytes(await server.read(key)))).toBe(true);
  });
});
