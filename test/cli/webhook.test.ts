/** A receiver tried by hand: a real bridge, and receivers that believe too much. */
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryInbox, SECRET, TOKEN, withBridge } from '../bridge/support.js';
import { runCommand } from './run-command.js';

const env = { TRAMITA_WEBHOOK_SECRETS: SECRET, TRAMITA_WEBHOOK_TOKENS: TOKEN };
const BOTH = { default: { secrets: [SECRET], secretForm: 'utf8' as const, tokens: [TOKEN] } };
const signed = (body: string, secret = SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

describe('tramita webhook send', () => {
  it('posts an event that a bridge accepts, about the case and the request that are named', async () => {
    const inbox = memoryInbox();
    await withBridge({ inbox, accounts: BOTH }, async ({ port }) => {
      const to = `http://127.0.0.1:${port}/webhooks`;
      const cnj = '1000001-51.2026.8.26.0100';
      const run = await runCommand(['webhook', 'send', '--to', to, '--id', 'by-hand', '--cnj', cnj], env);
      expect(run.out).toMatch(/^202 accepted: .*by-hand/);
      expect(run.exitCode).toBe(0);
      expect([...inbox.events.values()][0]?.keys).toContain('cnj:10000015120268260100');

      const other = await runCommand(['webhook', 'send', '--to', to], {
        ...env,
        TRAMITA_WEBHOOK_TOKENS: 'another-token-0123',
      });
      expect([other.exitCode, other.out.slice(0, 11)]).toEqual([1, '401 refused']);
    });
  });

  it('--forge posts forgeries, every one of which a bridge refuses, and prints no secret', async () => {
    const inbox = memoryInbox();
    await withBridge({ inbox, accounts: BOTH }, async ({ port }) => {
      const run = await runCommand(['webhook', 'send', '--to', `http://127.0.0.1:${port}/webhooks`, '--forge'], env);
      expect(run.out).toMatch(/(\d+) of \1 forgeries refused\n$/);
      expect(run.out.match(/^refused/gm)?.length).toBeGreaterThanOrEqual(18);
      expect(run.exitCode).toBe(0);
      expect(inbox.events.size).toBe(0);
      expect(run.out + run.err).not.toContain(SECRET);
      expect(run.out + run.err).not.toContain(TOKEN);
    });
  });

  it.each<[string, (body: string, signature: string) => boolean, RegExp]>([
    ['believes everybody', () => true, /ACCEPTED +202 +no signature/],
    [
      'compares only the beginning',
      (body, given) => signed(body).startsWith(given) && given !== '',
      /ACCEPTED +202 +the signature cut short/,
    ],
    [
      'takes the prefix as optional',
      (body, given) => signed(body).endsWith(given) && given !== '',
      /ACCEPTED +202 +no "sha256="/,
    ],
    ['trims the body', (body, given) => signed(body.trim()) === given, /ACCEPTED +202 +the body changed by one blank/],
  ])('--forge finds a receiver that %s', async (_name, believes, told) => {
    const receiver = await listen(
      createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          const given = request.headers['x-service-signature'];
          response.writeHead(believes(Buffer.concat(chunks).toString(), String(given ?? '')) ? 202 : 401).end();
        });
      }),
    );
    try {
      const { port } = receiver.address() as AddressInfo;
      const run = await runCommand(['webhook', 'send', '--to', `http://127.0.0.1:${port}/`, '--forge'], {
        TRAMITA_WEBHOOK_SECRETS: SECRET,
      });
      expect(run.exitCode).toBe(1);
      expect(run.out).toMatch(told);
    } finally {
      await new Promise((resolve) => receiver.close(resolve));
    }
  });

  it.each([
    [
      ['--to', 'http://example.com/webhooks'],
      env,
      /--to: seen "http:\/\/example.com\/webhooks"; expected an https URL/,
    ],
    [['--to', 'https://example.com/'], {}, /neither a webhook secret nor a token/],
    [['--to', 'https://example.com/', '--account', 'x'], env, /there is no account "x"; configured: default/],
    [['--to', 'https://example.com/', '--cnj', '12'], env, /--cnj: seen "12"; expected a case number/],
    [['--to', 'https://example.com/', '--file', 'nowhere.json'], env, /nowhere.json: cannot be read \(ENOENT\)/],
    [['--to', 'https://example.com/', '--file', 'a', '--id', 'b'], env, /--file is the whole body/],
  ])('%j is refused, saying what is accepted', async (args, given: Readonly<Record<string, string>>, problem) => {
    const { exitCode, err } = await runCommand(['webhook', 'send', ...args], given);
    expect(exitCode).toBe(2);
    expect(err).toMatch(problem);
  });
});

describe('tramita webhook verify', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tramita-webhook-'));
  const BODY = '{"id":"e1","event":"nova_movimentacao"}';
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const verify = (body: string, signature: string, more: Readonly<Record<string, string>> = {}) =>
    runCommand(['webhook', 'verify', '--body', file('body.json', body), '--signature', signature], { ...env, ...more });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('says which secret has signed, and what the event is', async () => {
    const run = await verify(BODY, signed(BODY), { TRAMITA_WEBHOOK_SECRETS: `newer-secret-0123456789,${SECRET}` });
    expect(run.out).toBe(
      'authentic, signed with secret 2 of 2 (not the newest one); event "nova_movimentacao", id e1\n',
    );
    expect(run.exitCode).toBe(0);
  });

  it.each([
    ['another secret', BODY, signed(BODY, 'another'), /^not authentic: no secret of the account gives this signature/],
    ['no signature', BODY, '', /there is no signature/],
    ['another form', BODY, 'sha1=00', /the signature is not "sha256="/],
    ['a line end too many', `${BODY}\n`, signed(BODY), /Without the line end at its end it would be/],
    ['a line end too few', BODY, signed(`${BODY}\n`), /With a line end at its end it would be/],
  ])('says why not, and what would have made it right: %s', async (_name, body, signature, told) => {
    const run = await verify(body, signature);
    expect(run.exitCode).toBe(1);
    expect(run.out).toMatch(told);
    expect(run.out).not.toContain(SECRET);
  });

  it('knows a secret that is meant as hex', async () => {
    const hex = 'ab'.repeat(32);
    const signature = `sha256=${createHmac('sha256', Buffer.from(hex, 'hex')).update(BODY).digest('hex')}`;
    const run = await verify(BODY, signature, { TRAMITA_WEBHOOK_SECRETS: hex });
    expect(run.out).toContain('With TRAMITA_WEBHOOK_SECRET_FORM=hex it would be.');
  });

  it('reads all headers as they came, the token and repeated ones included', async () => {
    const headers = (...lines: string[]) =>
      runCommand(
        [
          'webhook',
          'verify',
          '--body',
          file('body.json', BODY),
          '--headers',
          file('headers', lines.join('\r\n')),
          '--json',
        ],
        env,
      );
    const right = [`X-Service-Signature: ${signed(BODY)}`, `Authorization: Bearer ${TOKEN}`];
    expect((await headers('HTTP/1.1 200 OK', ...right)).json()).toMatchObject({ authentic: true, secret: 1 });
    expect((await headers(right[0] ?? '')).json()).toMatchObject({ authentic: false, reason: 'token-missing' });
    expect((await headers(...right, 'x-service-signature: x')).json()).toMatchObject({ reason: 'duplicate-header' });
  });

  it('asks for the signature or the headers, not both and not neither', async () => {
    const run = await runCommand(['webhook', 'verify', '--body', file('body.json', BODY)], env);
    expect([run.exitCode, run.err]).toEqual([2, 'tramita: give either --signature or --headers\n']);
  });
});

function listen(server: Server): Promise<Server> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
