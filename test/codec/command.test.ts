/** `tramita codec-server` as a command: what it refuses to start without, and the tokens that it makes. */
import { preflight, resolveConfig } from '../../src/config/index.js';
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

describe('with the verification of TLS switched off', () => {
  const off = { NODE_TLS_REJECT_UNAUTHORIZED: '0', TRAMITA_LOG_LEVEL: 'silent' };
  const away = 'postgresql://tramita:secret@127.0.0.1:1/tramita?sslmode=verify-full';

  it('the codec server does not start: any host that answers could be the issuer of its tokens', async () => {
    const { exitCode, err } = await runCommand(['codec-server'], {
      ...off,
      TRAMITA_PAYLOAD_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      TRAMITA_CODEC_OIDC_ISSUER: 'https://issuer.example',
      TRAMITA_CODEC_OIDC_AUDIENCE: 'tramita',
      TRAMITA_CODEC_OIDC_CLAIM: 'groups=readers',
      TRAMITA_CODEC_DATABASE_URL: away,
    });
    expect({ exitCode, err }).toEqual({
      exitCode: 2,
      err: expect.stringMatching(/^tramita: NODE_TLS_REJECT_UNAUTHORIZED is 0: [^\n]*\n$/) as string,
    });
  });

  it.each([
    [['migrate']],
    [['ledger', 'check']],
    [['ledger', 'list']],
    [['subject', 'find', '--oab', 'SP:123456', '--by', 'ana', '--reason', 'ticket 17']],
  ])('%j asks no database', async (args) => {
    const env = { ...off, TRAMITA_DATABASE_URL: away, TRAMITA_ID_KEY: 'k'.repeat(32) };
    const { exitCode, err } = await runCommand(args, env);
    expect({ exitCode, err }).toEqual({
      exitCode: 2,
      err: expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED is 0') as string,
    });
  });
});

it('a database on another machine without TLS is warned of', () => {
  const url = 'postgresql://tramita_codec:secret@db.example/tramita';
  expect(preflight(resolveConfig({ env: { TRAMITA_CODEC_DATABASE_URL: url } })).join()).toContain(
    'TRAMITA_CODEC_DATABASE_URL: the database is on another machine',
  );
});
