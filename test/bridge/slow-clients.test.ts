/**
 * Lines 28–29 of the attack catalogue: thousands of connections that never finish their head or their body. They are closed
 * by the limits of the listener, and genuine deliveries are served meanwhile. TRAMITA_BRIDGE_SLOW says how many.
 */
import { connect, type Socket } from 'node:net';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { deliver, withBridge } from './support.js';

const SLOW = Number(process.env['TRAMITA_BRIDGE_SLOW'] ?? 2_000);
const CLOSED_WITHIN_MS = 12_000;
/** Connections opened at once: a large burst costs this process, which is client and server, more than the bridge. */
const BATCH = 25;
const QUIET_DELIVERIES = 400;
/** For a genuine delivery. A machine may pause for 3 s; a blocked bridge would take the 5 s of the slow connections. */
const SERVED_WITHIN_MS = 4_000;
const PAUSE_MS = 5;

const HEAD = 'POST /webhooks HTTP/1.1\r\nHost: x\r\n';
/** Its signature has the right form, so that only the body can show that it is wrong. */
const BODY = `${HEAD}Content-Type: application/json\r\nX-Service-Signature: sha256=${'0'.repeat(64)}\r\nContent-Length: 1000\r\n\r\n{"id":`;

interface SlowConnection {
  readonly socket: Socket;
  /** Milliseconds until it was closed. */
  readonly closed: Promise<number>;
}

function openSlow(port: number, text: string): Promise<SlowConnection> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('connect', () => {
      const openedAt = performance.now();
      socket.write(text);
      socket.resume();
      const closed = new Promise<number>((done) => {
        socket.once('close', () => done(performance.now() - openedAt));
      });
      resolve({ socket, closed });
    });
  });
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

const p99 = (latencies: readonly number[]): number =>
  [...latencies].sort((left, right) => left - right)[Math.floor(latencies.length * 0.99)] ?? Number.NaN;

async function timedDelivery(port: number, id: string): Promise<number> {
  const started = performance.now();
  expect((await deliver(port, { id, event: 'x' })).status).toBe(202);
  return performance.now() - started;
}

it(`the bridge closes ${SLOW} slow connections within 12 s and serves genuine deliveries meanwhile`, async () => {
  await withBridge({}, async ({ port, metric }) => {
    const quiet: number[] = [];
    for (let place = 0; place < QUIET_DELIVERIES; place += 1) {
      quiet.push(await timedDelivery(port, `quiet-${place}`));
      await pause();
    }

    // Client and bridge share one process: the time in which it stood still does not count.
    const standstill = monitorEventLoopDelay();
    standstill.enable();
    const slow: SlowConnection[] = [];
    const opening = (async () => {
      while (slow.length < SLOW) {
        const texts = Array.from({ length: BATCH }, (_, place) => (place % 2 === 0 ? HEAD : BODY));
        slow.push(...(await Promise.all(texts.map((text) => openSlow(port, text)))));
        await pause();
      }
    })();
    let isOver = false;
    const under: number[] = [];
    const serving = (async () => {
      while (!isOver) {
        under.push(await timedDelivery(port, `under-${under.length}`));
        await pause();
      }
    })();
    await opening;
    const closedAfterMs = await Promise.all(slow.map(({ closed }) => closed));
    isOver = true;
    await serving;

    // They were accepted and then given up, not refused at once.
    expect(await metric('refused_total{reason="too-slow"}')).toBe(
      slow.filter((_, place) => (place % BATCH) % 2 === 1).length,
    );
    standstill.disable();
    expect(Math.max(...closedAfterMs) - standstill.max / 1e6).toBeLessThan(CLOSED_WITHIN_MS);
    expect(under.length).toBeGreaterThan(QUIET_DELIVERIES / 4);
    expect(p99(under)).toBeLessThan(SERVED_WITHIN_MS);
    process.stderr.write(
      `slow connections: ${slow.length}, closed after ${Math.max(...closedAfterMs).toFixed(0)} ms; p99 quiet ${p99(quiet).toFixed(1)} ms, under attack ${p99(under).toFixed(1)} ms over ${under.length} deliveries\n`,
    );
  });
});
