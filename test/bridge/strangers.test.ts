/** How much memory an unauthenticated sender can occupy in the bridge, and what such a sender can learn from it. */
import { connect } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createAdmit } from '../../src/bridge/handle.js';
import { createMetrics } from '../../src/bridge/metrics.js';
import type { BridgeAccount } from '../../src/bridge/index.js';
import { SECRET, TOKEN, deliver, memoryInbox, speak, withBridge } from './support.js';
import { until } from '../support/until.js';

const MB = 1_048_576;
const WRONG = `sha256=${'0'.repeat(64)}`;
const signed: BridgeAccount = { secrets: [SECRET], secretForm: 'utf8', tokens: [] };
const both: BridgeAccount = { ...signed, tokens: [TOKEN] };

/** A head that promises a body which never comes. */
const head = (account: string, headers: readonly string[], length = 1_000): string =>
  [`POST /webhooks/${account} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', `Content-Length: ${length}`]
    .concat(headers)
    .concat('\r\n')
    .join('\r\n');

/** Sends a head and the beginning of a body, and stays. */
function linger(port: number, length: number, sent: number): Promise<{ readonly closed: Promise<void> }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', reject);
    socket.resume();
    socket.on('connect', () => {
      socket.write(head('default', [`X-Service-Signature: ${WRONG}`], length));
      socket.write(Buffer.alloc(sent, 'x'), () =>
        resolve({ closed: new Promise((closed) => socket.once('close', () => closed())) }),
      );
    });
  });
}

const large = (id: string, size = MB): Buffer => {
  const shell = JSON.stringify({ id, event: 'x', pad: '' });
  return Buffer.from(JSON.stringify({ id, event: 'x', pad: 'x'.repeat(size - shell.length) }));
};

describe('an unauthenticated delivery', () => {
  const accounts = { default: both, other: both };
  const bearer = `Authorization: Bearer ${TOKEN}`;

  it('gets the same answer whatever is wrong with its head', async () => {
    await withBridge({ accounts }, async ({ port, metric }) => {
      const answers = [
        await speak(port, head('default', [bearer])),
        await speak(port, head('default', [bearer, 'X-Service-Signature: sha256=no'])),
        await speak(port, head('default', [`${bearer}x`, `X-Service-Signature: ${WRONG}`])),
        await speak(port, head('default', [`X-Service-Signature: ${WRONG}`])),
        await speak(port, head('nobody', [bearer, `X-Service-Signature: ${WRONG}`])),
        await speak(port, head('constructor', [])),
      ].map((answer) => answer.replace(/\r\ndate:[^\r]*/i, ''));
      expect(new Set(answers).size).toBe(1);
      expect(answers[0]).toMatch(/^HTTP\/1\.1 401 .*connection: close/is);
      expect(await metric('refused_total{reason="unknown-account"}')).toBe(2);
    });
  });

  it('gets the same answer for an unknown account as for an account without a token', async () => {
    await withBridge({ accounts: { default: signed } }, async ({ port }) => {
      const answers = await Promise.all(
        ['default', 'nobody'].map((account) => {
          const parts = [head(account, [`X-Service-Signature: ${WRONG}`], 10), '0123456789'];
          return speak(port, parts);
        }),
      );
      const [known, unknown] = answers.map((answer) => answer.replace(/\r\ndate:[^\r]*/i, ''));
      expect(known).toMatch(/^HTTP\/1\.1 401 /);
      expect(unknown).toBe(known);
    });
  });
});

describe('the response time reveals nothing', () => {
  const deps = {
    inbox: memoryInbox(),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    clock: () => 0,
  };
  /** Ratio of the shortest of interleaved runs: a busy machine can only make a run longer. */
  async function ratioOf(tries: number, one: () => unknown, other: () => unknown): Promise<number> {
    const durations: [number[], number[]] = [[], []];
    for (let round = 0; round < tries * 2; round += 1) {
      // One, other, other, one: neither always comes after the other.
      const at = (round + (round >> 1)) % 2 === 0 ? 0 : 1;
      const startedAt = performance.now();
      await (at === 0 ? one() : other());
      durations[at].push(performance.now() - startedAt);
    }
    return Math.min(...durations[0]) / Math.min(...durations[1]);
  }

  it('about an unknown account or the number of secrets, when the body is checked', async () => {
    const accounts = { one: signed, three: { ...signed, secrets: ['a'.repeat(20), 'b'.repeat(20), SECRET] } };
    const admit = createAdmit({ ...deps, metrics: createMetrics([]), accounts });
    const body = large('t');
    const refuse = async (account: string): Promise<void> => {
      const admission = admit({
        account,
        rawHeaders: ['Content-Type', 'application/json', 'X-Service-Signature', WRONG],
        receivedAtMs: 0,
      });
      if (admission.kind === 'refused') throw new Error('refused by its head');
      expect((await admission.take(body)).answer.status).toBe(401);
    };
    // Without decoy computations one side would compute nothing, or a third.
    for (const other of ['nobody', 'three']) {
      const ratio = await ratioOf(
        41,
        () => refuse('one'),
        () => refuse(other),
      );
      expect(ratio).toBeGreaterThan(1 / 2);
      expect(ratio).toBeLessThan(2);
    }
  });

  it('about whether an account exists, when the token in the head is wrong', async () => {
    const admit = createAdmit({
      ...deps,
      metrics: createMetrics([]),
      accounts: { default: both, second: { ...both, tokens: ['x'.repeat(20), TOKEN] } },
    });
    const rawHeaders = [
      'Content-Type',
      'application/json',
      'Authorization',
      `Bearer ${TOKEN}x`,
      'X-Service-Signature',
      WRONG,
    ];
    const refuse = (account: string) => (): void => {
      for (let turn = 0; turn < 200; turn += 1)
        expect(admit({ account, rawHeaders, receivedAtMs: 0 }).kind).toBe('refused');
    };
    const ratio = await ratioOf(31, refuse('default'), refuse('nobody'));
    expect(ratio).toBeGreaterThan(1 / 3);
    expect(ratio).toBeLessThan(3);
  });
});

describe('the limit of body bytes in memory', () => {
  it('slow senders that occupy all of it are given up and delay no other delivery', async () => {
    await withBridge({ maxBodyBytes: 2 * MB }, async ({ port, metric }) => {
      const slowSenders = await Promise.all(Array.from({ length: 12 }, () => linger(port, MB, 200_000)));
      // Client and bridge share one process: the time in which it stood still does not count.
      const standstill = monitorEventLoopDelay();
      standstill.enable();
      const startedAt = performance.now();
      expect((await deliver(port, { id: 'small', event: 'x' })).status).toBe(202);
      expect(performance.now() - startedAt - standstill.max / 1e6).toBeLessThan(1_500);
      standstill.disable();
      expect((await deliver(port, large('large'))).status).toBe(202);
      await Promise.all(slowSenders.map(({ closed }) => closed));
      const [slow, noRoom] = [
        await metric('refused_total{reason="too-slow"}'),
        await metric('refused_total{reason="no-room"}'),
      ];
      expect(slow + noRoom).toBe(slowSenders.length);
      expect(slow).toBeGreaterThanOrEqual(2);
    });
  });

  it('more large deliveries than fit at once are all answered 202', async () => {
    await withBridge({ maxBodyBytes: 4 * MB }, async ({ port, inbox }) => {
      const replies = await Promise.all(Array.from({ length: 12 }, (_, n) => deliver(port, large(`e${n}`))));
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]));
      expect(inbox.events.size).toBe(12);
    });
  });

  it('a body of unknown length, small or large, is accepted and counted like others', async () => {
    await withBridge({ maxBodyBytes: MB }, async ({ port, inbox }) => {
      const chunked = { 'content-length': undefined, 'transfer-encoding': 'chunked' };
      for (const size of [100, 9_000, MB, 300_000]) {
        expect((await deliver(port, large(`c${size}`, size), { headers: chunked })).status).toBe(202);
        expect(inbox.events.get(`default/c${size}`)?.body).toHaveLength(size);
      }
      expect((await deliver(port, large('c', MB + 1), { headers: chunked })).status).toBe(413);
      expect((await deliver(port, large('after'))).status).toBe(202);
    });
  });

  it('a body for another path or method is refused before it is read, so that it occupies nothing', async () => {
    await withBridge({ maxBodyBytes: MB }, async ({ port }) => {
      const answers = await Promise.all(
        ['POST /elsewhere', 'POST /webhooks/a/b', 'PUT /webhooks', 'PATCH /webhooks/default'].map((line) =>
          speak(port, head('', [], MB).replace('POST /webhooks/', line)),
        ),
      );
      expect(answers.map((answer) => /^HTTP\/1\.1 (\d{3}) .*connection: close/is.exec(answer)?.[1])).toEqual([
        '404',
        '404',
        '405',
        '405',
      ]);
      expect((await deliver(port, large('genuine'))).status).toBe(202);
    });
  });

  it('a body that the database still holds is counted, although its sender was answered', async () => {
    const inbox = memoryInbox();
    let release = (): void => undefined;
    const stuck = new Promise<void>((resolve) => (release = resolve));
    inbox.hooks.before = () => stuck;
    await withBridge({ inbox, maxBodyBytes: MB, answerWithinMs: 50 }, async ({ port }) => {
      expect((await deliver(port, large('first'))).status).toBe(503);
      inbox.hooks.before = () => Promise.resolve();
      let isAnswered = false;
      const second = deliver(port, large('second')).finally(() => (isAnswered = true));
      expect((await deliver(port, { id: 'small', event: 'x' })).status).toBe(202);
      expect([isAnswered, inbox.events.has('default/second')]).toEqual([false, false]);
      release();
      expect((await second).status).toBe(202);
      await until(() => inbox.events.size === 3, { what: 'all are stored' });
    });
  });

  it('a delivery without room in time gets 503 with Retry-After, and its retry is accepted', async () => {
    const inbox = memoryInbox();
    let release = (): void => undefined;
    const stuck = new Promise<void>((resolve) => (release = resolve));
    inbox.hooks.before = () => stuck;
    // The first delivery waits longer for the database than the second one waits for room, which is 4 s.
    await withBridge({ inbox, maxBodyBytes: MB, answerWithinMs: 20_000 }, async ({ port, metric }) => {
      const first = deliver(port, large('first'));
      const waiting = await deliver(port, large('second'));
      expect([waiting.status, waiting.headers['retry-after']]).toEqual([503, '5']);
      expect(await metric('refused_total{reason="no-room"}')).toBe(1);
      release();
      expect((await first).status).toBe(202);
      expect((await deliver(port, large('second'))).status).toBe(202);
    });
  });
});
