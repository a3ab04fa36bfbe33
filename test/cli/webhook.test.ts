/** The webhook commands against a real bridge, and against receivers that verify too little. */
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve, withBody } from '../../soak/loopback.js';
import { memoryInbox, SECRET, TOKEN, withBridge } from '../bridge/support.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { runCommand } from './run-command.js';

const env = { TRAMITA_WEBHOOK_SECRETS: SECRET, TRAMITA_WEBHOOK_TOKENS: TOKEN };
const BOTH = { default: { secrets: [SECRET], secretForm: 'utf8' as const, tokens: [TOKEN] } };
const signed = (body: string, secret = SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

describe('tramita webhook send', () => {
  it('posts an event about the given case, which a bridge accepts with the right token only', async () => {
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

  it('posts forgeries with --forge, all of which a bridge refuses, without printing a secret', async () => {
    const inbox = memoryInbox();
    await withBridge({ inbox, accounts: BOTH }, async ({ port }) => {
      const run = await runCommand(['webhook', 'send', '--to', `http://127.0.0.1:${port}/webhooks`, '--forge'], env);
      expect(run.out).toMatch(/^accepted +202 +a genuine probe\n[^]*(\d+) of \1 forgeries refused\n$/);
      expect(run.out.match(/^refused/gm)).toHaveLength(20);
      expect(run.exitCode).toBe(0);
      expect(inbox.events.size).toBe(0);
      expect(run.out + run.err).not.toContain(SECRET);
      expect(run.out + run.err).not.toContain(TOKEN);
    });
  });

  it('says that --forge proves nothing about a receiver with another secret', async () => {
    await withBridge({ accounts: BOTH }, async ({ port }) => {
      const args = ['webhook', 'send', '--to', `http://127.0.0.1:${port}/webhooks`, '--forge'];
      const other = { ...env, TRAMITA_WEBHOOK_SECRETS: 'another-secret-0123456789' };
      const text = await runCommand(args, other);
      expect(text.out).toMatch(/^REFUSED +401 +a genuine probe/);
      expect([text.exitCode, /proves nothing/.test(text.out)]).toEqual([1, true]);
      const json = await runCommand([...args, '--json'], other);
      expect(json.json()).toMatchObject({ probe: { status: 401, accepted: false }, refused: 20, wrong: 0 });
    });
  });

  it('continues --forge if a receiver closes the connection, but fails if no receiver answers', async () => {
    const receiver = await serve((request, response) => {
      request.resume();
      if (request.headers['x-service-signature'] === undefined) request.socket.destroy();
      else response.writeHead(request.headers['x-service-event'] === undefined ? 401 : 202).end();
    });
    const forge = () =>
      runCommand(['webhook', 'send', '--to', receiver.url, '--forge'], { TRAMITA_WEBHOOK_SECRETS: SECRET });
    const run = await forge();
    expect(run.out).toMatch(/not refused --- {2}no signature\nACCEPTED +202 +an empty signature/);
    expect(run.exitCode).toBe(1);
    await receiver.close();
    expect(await forge()).toMatchObject({
      exitCode: 1,
      out: '',
      err: `tramita: ${receiver.url} gave no answer (ECONNREFUSED)\n`,
    });
  });

  it('posts a file byte for byte, with the headers of the service', async () => {
    const requests: { rawHeaders: readonly string[]; body: string }[] = [];
    const receiver = await serve(
      withBody(({ rawHeaders }, response, body) => {
        requests.push({ rawHeaders, body: body.toString() });
        response.writeHead(204).end();
      }),
    );
    try {
      const folder = temporaryFolder('webhook');
      writeFileSync(join(folder, 'body.json'), '{"id" : "spaced" }\n');
      const args = ['webhook', 'send', '--to', receiver.url, '--file', join(folder, 'body.json')];
      expect((await runCommand([...args, '--event', 'outro'], env)).exitCode).toBe(0);
      const { rawHeaders = [], body = '' } = requests[0] ?? {};
      expect(body).toBe('{"id" : "spaced" }\n');
      const headers = Object.fromEntries(
        rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1]]] : [])),
      ) as Readonly<Record<string, string>>;
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'user-agent': 'Service-Webhook/1.0',
        'x-service-event': 'outro',
        'x-service-delivery-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        'x-service-timestamp': expect.stringMatching(/^\d{10}$/) as string,
        'x-service-signature': signed(body),
        authorization: `Bearer ${TOKEN}`,
      });
    } finally {
      await receiver.close();
    }
  });

  it('sends no secret of the account with --secret-env or --token-env', async () => {
    const inbox = memoryInbox();
    const accounts = { default: { secrets: ['their-secret-0123456789'], secretForm: 'utf8' as const, tokens: [] } };
    await withBridge({ inbox, accounts }, async ({ port }) => {
      const to = ['webhook', 'send', '--to', `http://127.0.0.1:${port}/webhooks`];
      const run = await runCommand([...to, '--secret-env', 'THEIRS'], { ...env, THEIRS: 'their-secret-0123456789' });
      expect(run.exitCode).toBe(0);
      expect([...inbox.events.values()].length).toBe(1);
      const none = await runCommand([...to, '--secret-env', 'THEIRS'], env);
      expect([none.exitCode, none.err]).toEqual([2, 'tramita: --secret-env: neither THEIRS nor THEIRS_FILE is set\n']);
      const short = await runCommand([...to, '--token-env', 'SHORT'], { ...env, SHORT: 'short-token' });
      expect([short.exitCode, short.err.includes('short-token')]).toEqual([2, false]);
      const both = await runCommand([...to, '--secret-env', 'THEIRS', '--account', 'default'], env);
      expect([both.exitCode, /cannot be used with option '--account/.test(both.err)]).toEqual([2, true]);
    });
  });

  it.each<[string, (body: string, signature: string) => boolean, RegExp]>([
    ['verifies nothing', () => true, /ACCEPTED +202 +no signature/],
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
    ['trims the body', (body, given) => signed(body.trim()) === given, /ACCEPTED +202 +the body changed by one space/],
  ])('finds with --forge a receiver that %s', async (_name, accepts, expected) => {
    const receiver = await serve(
      withBody(({ headers }, response, body) => {
        const signature = String(headers['x-service-signature'] ?? '');
        response.writeHead(accepts(body.toString(), signature) ? 202 : 401).end();
      }),
    );
    try {
      const run = await runCommand(['webhook', 'send', '--to', receiver.url, '--forge'], {
        TRAMITA_WEBHOOK_SECRETS: SECRET,
      });
      expect(run.exitCode).toBe(1);
      expect(run.out).toMatch(expected);
    } finally {
      await receiver.close();
    }
  });

  it.each([
    [
      ['--to', 'http://example.com/webhooks'],
      env,
      /--to: seen "http:\/\/example.com\/webhooks"; expected an https URL/,
    ],
    [['--to', 'http://127.example.com/'], env, /--to: seen "http:\/\/127.example.com\/"; expected an https URL/],
    [
      ['--to', 'https://me:word@example.com/'],
      env,
      /^tramita: --to: seen an address with a user or password in it[^@]*$/,
    ],
    [['--to', 'me:word@example.com'], env, /^tramita: --to: seen no web address; expected an https URL/],
    [['--to', 'https://example.com/'], {}, /neither a webhook secret nor a token.*TRAMITA_WEBHOOK_SECRETS/],
    [['--to', 'https://example.com/', '--account', 'x'], env, /there is no account "x"; configured: default/],
    [['--to', 'https://example.com/', '--cnj', '12'], env, /--cnj: seen "12"; expected a case number/],
    [['--to', 'https://example.com/', '--file', 'nowhere.json'], env, /nowhere.json: cannot be read \(ENOENT\)/],
    [['--to', 'https://example.com/', '--file', 'a', '--id', 'b'], env, /--file is the whole body/],
  ])('refuses %j and says what is accepted', async (args, settings: Readonly<Record<string, string>>, problem) => {
    const { exitCode, err } = await runCommand(['webhook', 'send', ...args], settings);
    expect(exitCode).toBe(2);
    expect(err).toMatch(problem);
  });
});

describe('tramita webhook verify', () => {
  const folder = temporaryFolder('webhook');
  const BODY = '{"id":"e1","event":"nova_movimentacao"}';
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const verify = (body: string, signature: string, more: Readonly<Record<string, string>> = {}) =>
    runCommand(['webhook', 'verify', '--file', file('body.json', body), '--signature', signature], { ...env, ...more });

  it('names the secret that signed, and the event', async () => {
    const run = await verify(BODY, signed(BODY), { TRAMITA_WEBHOOK_SECRETS: `newer-secret-0123456789,${SECRET}` });
    expect(run.out).toBe(
      'authentic, signed with secret 2 of 2 (not the newest one); event "nova_movimentacao", id e1\n',
    );
    expect(run.exitCode).toBe(0);
  });

  it.each([
    ['another secret', BODY, signed(BODY, 'another'), /^not authentic: no secret of the account gives this signature/],
    ['no signature', BODY, '', /there is no signature/],
    [
      'digits alone',
      BODY,
      signed(BODY).slice(7),
      /Written as the service writes it, "sha256=" and lower-case digits, it would/,
    ],
    ['capital letters', BODY, signed(BODY).toUpperCase(), /Written as the service writes it, "sha256="/],
    ['another form', BODY, 'sha1=00', /the signature is not "sha256="/],
    ['a line end too many', `${BODY}\n`, signed(BODY), /Without the line end after the body it would be/],
    ['a line end too few', BODY, signed(`${BODY}\n`), /With a line end after the body it would be/],
  ])('explains a wrong signature and how it would be right: %s', async (_name, body, signature, expected) => {
    const run = await verify(body, signature);
    expect(run.exitCode).toBe(1);
    expect(run.out).toMatch(expected);
    expect(run.out).not.toContain(SECRET);
  });

  it('detects a secret that is meant as hex', async () => {
    const hex = 'ab'.repeat(32);
    const signature = `sha256=${createHmac('sha256', Buffer.from(hex, 'hex')).update(BODY).digest('hex')}`;
    const run = await verify(BODY, signature, { TRAMITA_WEBHOOK_SECRETS: hex });
    expect(run.out).toContain('With TRAMITA_WEBHOOK_SECRET_FORM=hex it would be authentic.');
  });

  it('checks all headers of a file, including the token and repeated headers', async () => {
    const headers = (...lines: string[]) =>
      runCommand(
        [
          'webhook',
          'verify',
          '--file',
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

  it('uses the secret of --secret-env, and fails without a secret', async () => {
    const args = ['webhook', 'verify', '--file', file('body.json', BODY), '--signature', signed(BODY)];
    expect((await runCommand([...args, '--secret-env', 'MINE'], { MINE: SECRET })).exitCode).toBe(0);
    const short = await runCommand([...args, '--secret-env', 'MINE'], { MINE: 'short' });
    expect([short.exitCode, short.err]).toEqual([2, expect.stringMatching(/^tramita: MINE \(or MINE_FILE,.*5 bytes/)]);
    expect(short.err).not.toContain('TRAMITA_');
    const none = await runCommand(args, { TRAMITA_WEBHOOK_TOKENS: TOKEN });
    expect([none.exitCode, /no webhook secret to check --signature with/.test(none.err)]).toEqual([2, true]);
  });

  it('requires either the signature or the headers', async () => {
    const run = await runCommand(['webhook', 'verify', '--file', file('body.json', BODY)], env);
    expect([run.exitCode, run.err]).toEqual([2, 'tramita: give either --signature or --headers\n']);
  });
});

describe('tramita bridge and tramita webhook', () => {
  it('do not read the file of an API key, unlike other commands', async () => {
    const settings = { ...env, TRAMITA_API_KEY_FILE: join(tmpdir(), 'nowhere', 'api-key') };
    const problem = /TRAMITA_API_KEY_FILE: the file it names cannot be read/;
    expect((await runCommand(['config'], settings)).err).toMatch(problem);
    const bridge = await runCommand(['bridge'], settings);
    expect(bridge.err).toContain('TRAMITA_BRIDGE_DATABASE_URL');
    expect(bridge.err).not.toMatch(problem);
    const send = await runCommand(['webhook', 'send', '--to', 'http://127.0.0.1:1/'], settings);
    expect(send.err).toBe('tramita: http://127.0.0.1:1 gave no answer (ECONNREFUSED)\n');
  });
});
