/** `tramita codec-server` as a command: what it refuses to start without, and the tokens that it makes. */
import { hashToken } from '../../src/codec-server/index.js';
import { runCommand } from '../cli/run-command.js';

it('does not start without anybody who may read, without keys and without its database; all of it is told at once', async () => {
  const { exitCode, err } = await runCommand(['codec-server'], { TRAMITA_LOG_LEVEL: 'silent' });
  expect(exitCode).toBe(2);
  expect(err.match(/TRAMITA_\w+(?= \(or)/g)).toEqual([
    'TRAMITA_PAYLOAD_KEYS',
    'TRAMITA_CODEC_TOKENS',
    'TRAMITA_CODEC_DATABASE_URL',
  ]);
});

it('makes a new token each time, and the entry with its hash', async () => {
  const made = async (): Promise<{ token: string; entry: string }> =>
    (await runCommand(['codec-server', 'token', '--name', 'ana', '--json'])).json() as { token: string; entry: string };
  const [one, other] = [await made(), await made()];
  expect(one.token).toMatch(/^[\w-]{43}$/);
  expect(one.entry).toBe(`ana:${hashToken(one.token)}`);
  expect(other.token).not.toBe(one.token);
  expect((await runCommand(['codec-server', 'token', '--name', 'a,b'])).exitCode).toBe(2);
});
