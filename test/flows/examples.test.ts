/**
 * The TypeScript examples with the packed package: each compiles under its own strict settings, and one runs on the servers
 * of this test run. `npm run test:examples` installs and runs all of them, as a stranger would.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packPackage, REPOSITORY, type Consumer } from '../package/pack-package.js';
import { copyExample, EXAMPLES } from '../support/examples.js';

jest.setTimeout(300_000);

let consumer: Consumer;
beforeAll(() => {
  consumer = packPackage();
  for (const name of ['express', '@types/express']) {
    const link = join(consumer.folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(REPOSITORY, 'node_modules', name), link, 'junction');
  }
});
afterAll(() => consumer.remove());

it.each(EXAMPLES)('examples/$name compiles', ({ name }) => {
  copyExample(name, join(consumer.folder, name));
  const tsc = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');
  const compiled = spawnSync(process.execPath, [tsc, '--pretty', 'false'], {
    cwd: join(consumer.folder, name),
    encoding: 'utf8',
  });
  expect(compiled).toMatchObject({ stdout: '', status: 0 });
});

it('examples/backend prints its documented line', async () => {
  const [{ name, says }] = EXAMPLES;
  expect(await run(join(consumer.folder, name))).toEqual({
    text: expect.stringMatching(new RegExp(`^${says}$`, 'm')) as string,
    exitCode: 0,
  });
});

async function run(cwd: string): Promise<{ readonly text: string; readonly exitCode: number | null }> {
  const { TRAMITA_TEST_TEMPORAL_ADDRESS: temporalAddress, TRAMITA_TEST_DATABASE_URL: databaseUrl } = process.env;
  const strangers = Object.entries(process.env).filter(([name]) => !/^(TRAMITA|TEMPORAL)_/.test(name));
  // as a global set-up with startTestServers leaves it
  const env = {
    ...Object.fromEntries(strangers),
    TESTING_TRAMITA_SERVERS: JSON.stringify({ temporalAddress, databaseUrl }),
  };
  const child = spawn(process.execPath, ['dist/try.js'], { cwd, env });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { text, exitCode };
}
