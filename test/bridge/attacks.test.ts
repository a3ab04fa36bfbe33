/**
 * A catalogue of 50 attacks through real sockets. FILE_OF_LINE says which file tests each line of it. The header forms are
 * also in the pure table of `test/pure/bridge-verify.test.ts`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { gzipSync } from 'node:zlib';
import { nodeVersionProblem } from '../../src/bridge/node-version.js';
import { createBridge, signBody } from '../../src/bridge/index.js';
import {
  BRIDGE_OPTIONS,
  CNJ,
  LATE_RELAY,
  SECRET,
  TOKEN,
  deliver,
  memoryInbox,
  speak,
  withBridge,
  type Rig,
} from './support.js';
import { until } from '../support/until.js';

const HERE = 'bridge/attacks.test.ts';
const ELSEWHERE: Readonly<Record<number, string>> = {
  28: 'bridge/slow-clients.test.ts',
  29: 'bridge/slow-clients.test.ts',
  46: 'bridge/schedules.test.ts',
  48: 'bridge/delivery.test.ts',
  49: 'bridge/delivery.test.ts',
  50: 'e2e/bridge-killed.test.ts',
};
const FILE_OF_LINE = Array.from({ length: 50 }, (_, index) => ELSEWHERE[index + 1] ?? HERE);

const EVENT = {
  id: 'e1',
  event: 'atualizacao_processo_concluida',
  source: 's',
  created_at: '2026-01-01T00:00:00.000Z',
  data: { numeroCnj: CNJ },
};
const BODY = JSON.stringify(EVENT);
const MB = 1_048_576;

/** A request as text, with the given lines after the request line. */
const raw = (line: string, headers: readonly string[], body = ''): string =>
  `${[line, 'Host: x', ...headers].join('\r\n')}\r\n\r\n${body}`;
const genuine = (body: string): string[] => [
  'Content-Type: application/json',
  `X-Service-Signature: ${signBody(Buffer.from(body), SECRET)}`,
];
const POST = 'POST /webhooks HTTP/1.1';
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
/** A body of exactly `size` bytes that is a valid event. */
const sized = (size: number): string => {
  const shell = JSON.stringify({ id: `s${size}`, pad: '' });
  return JSON.stringify({ id: `s${size}`, pad: 'x'.repeat(size - shell.length) });
};

describe('the attack catalogue', () => {
  let rig: Rig;
  let release: () => void = () => undefined;
  let ended: Promise<void>;
  beforeAll(async () => {
    await new Promise<void>((ready, failed) => {
      ended = withBridge({ relay: LATE_RELAY }, async (started) => {
        rig = started;
        await new Promise<void>((resolve) => {
          release = resolve;
          ready();
        });
      });
      ended.catch(failed);
    });
  });
  afterAll(async () => {
    // An alarm counts these, so no stranger may cause one.
    expect(await rig.metric('refused_total{reason="error"}')).toBe(0);
    release();
    await ended;
  });

  it('has a test for each of its fifty lines', () => {
    expect(FILE_OF_LINE).toHaveLength(50);
    for (const file of new Set(FILE_OF_LINE)) expect(existsSync(join(__dirname, '..', file))).toBe(true);
  });

  describe('lines 1–17: authentication', () => {
    const mac = signBody(Buffer.from(BODY), SECRET);
    it.each<[string, Record<string, string | string[] | undefined>]>([
      ['1 no signature', { 'x-service-signature': undefined }],
      ['2 empty signature', { 'x-service-signature': '' }],
      ['3 sha1=', { 'x-service-signature': mac.replace('sha256', 'sha1') }],
      ['3 SHA256=', { 'x-service-signature': mac.replace('sha256', 'SHA256') }],
      ['3 no prefix', { 'x-service-signature': mac.slice(7) }],
      ['4 prefix twice', { 'x-service-signature': `sha256=${mac}` }],
      ['5 62 digits', { 'x-service-signature': mac.slice(0, -2) }],
      ['6 66 digits', { 'x-service-signature': `${mac}00` }],
      ['7 no hex', { 'x-service-signature': `sha256=${'z'.repeat(64)}` }],
      ['8 upper case', { 'x-service-signature': `sha256=${mac.slice(7).toUpperCase()}` }],
      ['9 bytes above ASCII', { 'x-service-signature': `sha256=${'\u00ff'.repeat(64)}` }],
      ['10 two signatures', { 'x-service-signature': [mac, mac] }],
      ['13 underscores', { 'x-service-signature': undefined, x_service_signature: mac }],
    ])('%s → 401', async (_title, headers) => {
      const before = rig.inbox.events.size;
      const reply = await deliver(rig.port, BODY, { headers });
      expect([reply.status, reply.body]).toEqual([401, { accepted: false, error: 'unauthorized' }]);
      expect(rig.inbox.events.size).toBe(before);
    });

    it('11 two Authorization headers, of which Node would keep the first → 401', async () => {
      const lines = [
        ...genuine(BODY),
        `Authorization: Bearer ${TOKEN}`,
        `Authorization: Bearer ${TOKEN}x`,
        `Content-Length: ${BODY.length}`,
      ];
      expect(statusOf(await speak(rig.port, raw('POST /webhooks/both HTTP/1.1', lines, BODY)))).toBe(401);
    });

    it('12 a header named __proto__ → 401, and the process lives', async () => {
      const lines = ['__proto__: x', 'Content-Type: application/json', `Content-Length: ${BODY.length}`];
      expect(statusOf(await speak(rig.port, raw(POST, lines, BODY)))).toBe(401);
      expect((await deliver(rig.port, BODY)).status).toBe(202);
    });

    it('12 a Node version without the fix → reported in the log at the start', () => {
      const problem = nodeVersionProblem(process.versions.node);
      expect(rig.logs.filter((line) => line.includes('CVE-2026-21710'))).toHaveLength(problem === undefined ? 0 : 1);
    });

    it.each<[string, Buffer | string]>([
      ['14 re-serialised', JSON.stringify(EVENT, null, 1)],
      ['15 one blank more', BODY.replace(':', ': ')],
      [
        '16 reordered',
        JSON.stringify({
          data: EVENT.data,
          id: EVENT.id,
          event: EVENT.event,
          source: EVENT.source,
          created_at: EVENT.created_at,
        }),
      ],
      ['17 one byte changed', Buffer.from(BODY.replace('e1', 'e2'))],
    ])('%s under the old signature → 401', async (_title, body) => {
      expect((await deliver(rig.port, body, { headers: { 'x-service-signature': mac } })).status).toBe(401);
    });

    it('an account with secret and token requires both, and an unknown account → 401', async () => {
      expect((await deliver(rig.port, BODY, { path: '/webhooks/both', token: TOKEN })).status).toBe(202);
      expect((await deliver(rig.port, BODY, { path: '/webhooks/both' })).status).toBe(401);
      expect((await deliver(rig.port, BODY, { path: '/webhooks/nobody' })).status).toBe(401);
      expect((await deliver(rig.port, BODY, { path: '/webhooks/constructor' })).status).toBe(401);
    });
  });

  describe('lines 18–20, 34–39: authentic deliveries that cannot be read', () => {
    it.each<[string, Buffer]>([
      ['18 byte order mark', Buffer.from(`\ufeff${BODY}`)],
      ['19 invalid UTF-8', Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xff]), Buffer.from('"}')])],
      ['20 Latin-1', Buffer.from('{"id":"é"}', 'latin1')],
      ['34 depth 100,000', Buffer.from('['.repeat(100_000) + ']'.repeat(100_000))],
      ['35 members without end', Buffer.from(`{${Array.from({ length: 80_000 }, (_, i) => `"k${i}":1`).join(',')}}`)],
      [
        '36 colliding members',
        Buffer.from(`{${Array.from({ length: 60_000 }, (_, i) => `"${i * 65_536}":1`).join(',')}}`),
      ],
      ['39 an empty body', Buffer.alloc(0)],
      ['39 no object', Buffer.from('"text"')],
    ])('%s → 202 and stored under its hash', async (_title, body) => {
      const reply = await deliver(rig.port, body);
      expect([reply.status, reply.body['eventId']]).toEqual([202, expect.stringMatching(/^[0-9a-f]{64}$/)]);
      const stored = rig.inbox.events.get(`default/${String(reply.body['eventId'])}`);
      expect([stored?.event, stored?.keys, stored?.body.equals(body)]).toEqual(['', [], true]);
    });

    it.each<[string, string]>([
      ['37 keys that aim at the prototype', '{"__proto__":{"id":"p"},"constructor":{"prototype":{"x":1}},"event":"x"}'],
      ['38 id as an object', '{"id":{"a":1},"event":"x"}'],
      ['39 id of 1 KB', `{"id":"${'x'.repeat(1_000)}","event":"x"}`],
      ['39 id with a control character', '{"id":"a\\u0000b","event":"x"}'],
    ])('%s → 202 under the hash of the body', async (_title, body) => {
      const reply = await deliver(rig.port, body);
      expect([reply.status, reply.body['eventId']]).toEqual([202, expect.stringMatching(/^[0-9a-f]{64}$/)]);
      expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    });

    it('38 a repeated id → the last one counts, as in JSON.parse', async () => {
      expect((await deliver(rig.port, '{"id":"first","id":"last","event":"x"}')).body['eventId']).toBe('last');
    });
  });

  describe('lines 21–27, 31–33: requests refused before they cost anything', () => {
    it('21 gzip → 415', async () => {
      const bomb = gzipSync(Buffer.alloc(10 * MB));
      expect((await deliver(rig.port, bomb, { headers: { 'content-encoding': 'gzip' } })).status).toBe(415);
    });

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'application/json; charset=latin1',
      undefined,
    ])('content type %s → 415', async (type) =>
      expect((await deliver(rig.port, BODY, { headers: { 'content-type': type } })).status).toBe(415),
    );

    it('25 a body exactly at the cap → 202', async () => {
      const body = sized(MB);
      expect(body).toHaveLength(MB);
      expect((await deliver(rig.port, body)).status).toBe(202);
    });

    it('26 one byte more → 413, and the connection is closed', async () => {
      const answer = await speak(rig.port, raw(POST, [...genuine(''), `Content-Length: ${MB + 1}`]));
      expect([statusOf(answer), /^connection: close/im.test(answer)]).toEqual([413, true]);
    });

    it.each([
      ['22, 27 chunked, one byte more', MB + 1],
      ['27 chunked, 10 MB', 10 * MB],
    ])('%s → 413', async (_title, size) => {
      const chunk = Buffer.alloc(65_536, 0x20);
      const parts: (string | Buffer)[] = [raw(POST, [...genuine(''), 'Transfer-Encoding: chunked'])];
      for (let left = size; left > 0; left -= chunk.length) {
        const part = chunk.subarray(0, Math.min(left, chunk.length));
        parts.push(`${part.length.toString(16)}\r\n`, part, '\r\n');
      }
      expect(statusOf(await speak(rig.port, parts))).toBe(413);
    });

    it.each<[string, string]>([
      ['23 two lengths', raw(POST, ['Content-Length: 5', 'Content-Length: 6'], 'abcdef')],
      ['24 length and chunks', raw(POST, ['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n')],
      ['24 blank before the colon', `${POST}\r\nHost: x\r\nContent-Length : 5\r\n\r\nabcde`],
      ['24 LF only', `${POST}\nHost: x\n\n`],
      ['24 no host', `${POST}\r\n\r\n`],
    ])('%s → 400', async (_title, text) => expect(statusOf(await speak(rig.port, text))).toBe(400));

    it('23 a length below that of the body → 400, and the rest is no second delivery', async () => {
      const lines = [...genuine(BODY), `Content-Length: ${BODY.length - 5}`];
      expect(statusOf(await speak(rig.port, raw(POST, lines, BODY), () => false))).toBe(400);
    });

    it.each<[string, string]>([
      ['31 depth 100,000', '['.repeat(100_000)],
      ['32 members without end', `{${'"a":1,'.repeat(100_000)}`],
      ['33 colliding members', `{${Array.from({ length: 50_000 }, (_, i) => `"${i * 65_536}":1`).join(',')}}`],
    ])('%s, unsigned → 401', async (_title, body) => {
      expect((await deliver(rig.port, body, { headers: { 'x-service-signature': undefined } })).status).toBe(401);
    });

    it('a head over 8 KB → 431', async () => {
      expect(statusOf(await speak(rig.port, raw(POST, [`X-Long: ${'x'.repeat(9_000)}`])))).toBe(431);
    });
  });

  describe('line 30: other methods, paths and protocols', () => {
    it.each<[string, number]>([
      ['GET /webhooks HTTP/1.1', 405],
      ['OPTIONS /webhooks HTTP/1.1', 405],
      ['DELETE /webhooks/both HTTP/1.1', 405],
      ['GET / HTTP/1.1', 404],
      ['GET /healthz HTTP/1.1', 404],
      ['GET /webhooks/../healthz HTTP/1.1', 404],
      ['GET /webhooks/a/b HTTP/1.1', 404],
      ['GET http://elsewhere.example.com/webhooks HTTP/1.1', 404],
    ])('%s → %i', async (line, status) => expect(statusOf(await speak(rig.port, raw(line, [])))).toBe(status));

    it.each<[string, string, number]>([
      ['a path that cannot be decoded', '/webhooks/%zz', 400],
      ['a name longer than any account’s', `/webhooks/${'a'.repeat(101)}`, 404],
    ])('%s → the bridge’s own refusal, which is counted and does not repeat the path', async (_title, path, status) => {
      const reason = status === 400 ? 'malformed' : 'path';
      const refused = () => rig.metric(`refused_total{reason="${reason}"}`);
      const before = await refused();
      const answer = await speak(rig.port, raw(`POST ${path} HTTP/1.1`, ['Content-Length: 100000']));
      expect(statusOf(answer)).toBe(status);
      expect(answer).toContain('{"accepted":false,"error":');
      expect(answer).not.toContain(path);
      expect(answer.toLowerCase()).toContain('connection: close');
      expect(await refused()).toBe(before + 1);
    });

    it('POST in absolute form → 404, and nothing is stored', async () => {
      const body = JSON.stringify({ ...EVENT, id: 'absolute' });
      const lines = [...genuine(body), `Content-Length: ${body.length}`];
      expect(
        statusOf(await speak(rig.port, raw('POST http://elsewhere.example.com/webhooks HTTP/1.1', lines, body))),
      ).toBe(404);
      expect(rig.inbox.events.has('default/absolute')).toBe(false);
    });

    it('Expect: junk → 417; Expect: 100-continue → 100, then 202', async () => {
      expect(statusOf(await speak(rig.port, raw(POST, ['Expect: junk'])))).toBe(417);
      const lines = [...genuine(BODY), `Content-Length: ${BODY.length}`, 'Expect: 100-continue'];
      const answer = await speak(rig.port, raw(POST, lines, BODY), (text) => /HTTP\/1\.1 [2-5]/.test(text));
      expect(answer).toMatch(/^HTTP\/1\.1 100 .*HTTP\/1\.1 202 /s);
    });

    it('Upgrade: h2c → no upgrade', async () => {
      const lines = [...genuine(BODY), `Content-Length: ${BODY.length}`, 'Connection: Upgrade', 'Upgrade: h2c'];
      expect(statusOf(await speak(rig.port, raw(POST, lines, BODY)))).toBe(202);
    });
  });

  describe('lines 28–29, one connection each', () => {
    it('a slow head and a slow body → closed within 10 s, while others are served', async () => {
      // Client and bridge share one process: the time in which it stood still does not count.
      const standstill = monitorEventLoopDelay();
      standstill.enable();
      const startedAt = performance.now();
      const slow = [
        `${POST}\r\nHost: x\r\n`,
        raw(POST, [...genuine(BODY), `Content-Length: ${BODY.length}`], BODY.slice(0, 10)),
      ].map((text) => speak(rig.port, text, () => false));
      expect((await deliver(rig.port, BODY)).status).toBe(202);
      for (const answer of await Promise.all(slow)) expect(answer).toMatch(/^HTTP\/1\.1 408|^$/);
      expect(performance.now() - startedAt - standstill.max / 1e6).toBeLessThan(11_000);
      standstill.disable();
    });
  });

  describe('lines 40–45: repeated and conflicting deliveries', () => {
    it('40–41 a captured body with a new timestamp and a new delivery id → a duplicate', async () => {
      const body = { ...EVENT, id: 'replayed' };
      const first = await deliver(rig.port, body, {
        headers: { 'x-service-delivery-id': 'd1', 'x-service-timestamp': '1800000000' },
      });
      const again = await deliver(rig.port, body, {
        headers: { 'x-service-delivery-id': 'd2', 'x-service-timestamp': '1900000000' },
      });
      expect(first.body).toEqual({ accepted: true, eventId: 'replayed', duplicate: false });
      expect(again.body).toEqual({ accepted: true, eventId: 'replayed', duplicate: true });
      expect(rig.inbox.events.get('default/replayed')?.deliveryId).toBe('d1');
    });

    it('42 one event a thousand times at once → one effect', async () => {
      rig.inbox.waiters.set(`cnj:${CNJ}`, new Set(['flow-42']));
      const replies = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const seen: boolean[] = [];
          for (let i = 0; i < 50; i += 1) {
            const reply = await deliver(rig.port, { ...EVENT, id: 'storm' });
            expect(reply.status).toBe(202);
            seen.push(reply.body['duplicate'] === true);
          }
          return seen;
        }),
      );
      expect(replies.flat().filter((duplicate) => !duplicate)).toHaveLength(1);
      await until(() => rig.signals.length > 0 && rig.inbox.owed.length === 0, { what: 'the flow is woken' });
      expect(rig.signals.filter(({ workflowId }) => workflowId === 'flow-42')).toHaveLength(1);
      rig.inbox.waiters.clear();
    });

    it('43 one delivery id, two event ids → both new', async () => {
      const headers = { 'x-service-delivery-id': 'same' };
      const replies = [
        await deliver(rig.port, { ...EVENT, id: 'a43' }, { headers }),
        await deliver(rig.port, { ...EVENT, id: 'b43' }, { headers }),
      ];
      expect(replies.map((reply) => reply.body['duplicate'])).toEqual([false, false]);
    });

    it('44 one event id, two bodies → both stored, the conflict counted', async () => {
      await deliver(rig.port, { ...EVENT, id: 'c44' });
      const second = await deliver(rig.port, { ...EVENT, id: 'c44', event: 'other' });
      expect(second.body).toEqual({ accepted: true, eventId: 'c44', duplicate: false });
      expect([...rig.inbox.events.keys()].filter((key) => key.startsWith('default/c44'))).toHaveLength(2);
      expect(await rig.metric('conflict_total{account="default"}')).toBe(1);
    });

    it.each<[string, object]>([
      ['an unknown name', { id: 'u1', event: 'something_new', data: {} }],
      ['a raw block and more', { ...EVENT, id: 'u2', raw: { any: ['thing'] }, extra: 1 }],
      ['the flat form', { uuid: 'u3', event: 'movimentacao_nova', processo: { numero_unico: CNJ } }],
    ])('45 %s → 202', async (_title, body) => expect((await deliver(rig.port, body)).status).toBe(202));
  });

  describe('line 47: blank secrets', () => {
    const start = (secrets: readonly string[], insecure = false) =>
      createBridge({
        ...BRIDGE_OPTIONS,
        accounts: { default: { secrets, secretForm: 'utf8', tokens: [] } },
        inbox: memoryInbox(),
        signalWake: () => Promise.resolve(),
        insecure,
      });

    it.each([[['']], [[' ']], [['\n']], [[]]])('%j → the bridge refuses to start', async (secrets) => {
      await expect(start(secrets)).rejects.toThrow(
        /^tramita: account default has (a blank webhook secret|neither webhook secret nor token)/,
      );
    });

    it('the bridge starts without a secret only with `insecure`', async () => {
      const bridge = await start([], true);
      const reply = await deliver(Number(new URL(bridge.url).port), BODY, {
        headers: { 'x-service-signature': undefined },
      });
      await bridge.close();
      expect(reply.status).toBe(202);
    });
  });
});
