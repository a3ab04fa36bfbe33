/** `tramita codec-server` as a command: what it refuses to start without, and the tokens that it makes. */
import { preflight, resolveConfig } from '../../src/config/index.js';
import { hashToken } from '../../src/codec-server/index.js';
import { runCommand } from '../cli/run-command.js';

it('codec-server without keys, tokens and database does not start and names all three settings', async () => {
  const { exitCode, err } = await runCommand(['codec-server'], { TRAMITA_LOG_LEVEL: 'silent' });
  expect(exitCode).toBe(2);
  expect(err.match(/TRAMITA_\w+(?= \(or)/g)).toEqual([
    'TRAMITA_PAYLOAD_KEYS',
    'TRAMITA_CODEC_TOKENS',
    'TRAMITA_CODEC_DATABASE_URL',
  ]);
});

it('codec-server token makes a new token each time, and the entry with its hash', async () => {
  const makeToken = async (): Promise<{ token: string; entry: string }> =>
    (await runCommand(['codec-server', 'token', '--name', 'ana', '--json'])).json() as { token: string; entry: string };
  const [first, second] = [await makeToken(), await makeToken()];
  expect(first.token).toMatch(/^[\w-]{43}$/);
  expect(first.entry).toBe(`ana:${hashToken(first.token)}`);
  expect(second.token).not.toBe(first.token);
  expect((await runCommand(['codec-server', 'token', '--name', 'a,b'])).exitCode).toBe(2);
});

describe('with TLS verification switched off', () => {
  const tlsOff = { NODE_TLS_REJECT_UNAUTHORIZED: '0', TRAMITA_LOG_LEVEL: 'silent' };
  const unreachableUrl = 'postgresql://tramita:secret@127.0.0.1:1/tramita?sslmode=verify-full';

  it('the codec server does not start, because any host could pose as the issuer of its tokens', async () => {
    const { exitCode, err } = await runCommand(['codec-server'], {
      ...tlsOff,
      TRAMITA_PAYLOAD_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      TRAMITA_CODEC_OIDC_ISSUER: 'https://issuer.example',
      TRAMITA_CODEC_OIDC_AUDIENCE: 'tramita',
      TRAMITA_CODEC_OIDC_CLAIM: 'groups=readers',
      TRAMITA_CODEC_DATABASE_URL: unreachableUrl,
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
  ])('the command %j connects to no database', async (args) => {
    const env = { ...tlsOff, TRAMITA_DATABASE_URL: unreachableUrl, TRAMITA_ID_KEY: 'k'.repeat(32) };
    const { exitCode, err } = await runCommand(args, env);
    expect({ exitCode, err }).toEqual({
      exitCode: 2,
      err: expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED is 0') as string,
    });
  });
});

it('preflight warns of a codec database on another machine without TLS', () => {
  const url = 'postgresql://tramita_codec:secret@db.example/tramita';
  expect(preflight(resolveConfig({ env: { TRAMITA_CODEC_DATABASE_URL: url } })).join()).toContain(
    'TRAMITA_CODEC_DATABASE_URL: the database is on another machine',
  );
});
