/** Genuine deliveries before and during an attack of slow connections, against a bridge in a process of its own. */
import { connect, type Socket } from 'node:net';
import { BENCH_SECRET, buildBody, buildCnj, buildRequest } from './bridge-deliveries.js';
import { percentile } from '../soak/numbers.js';
import { openLine } from './bridge-load.js';
import { startContender } from './bridge-throughput.js';

interface SlowAttack {
  readonly connections: number;
  /** Until the last one was closed by the bridge. */
  readonly closedWithinMs: number;
  readonly quietP99Ms: number;
  readonly attackedP99Ms: number;
  readonly ratioP99: number;
  readonly deliveriesDuring: number;
}

const BATCH = 50;
const PAUSE_MS = 5;
const QUIET = 600;
const HEAD = 'POST /webhooks HTTP/1.1\r\nHost: x\r\n';
const BODY = `${HEAD}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"id":`;

export async function measureSlowAttack(options: {
  readonly databaseUrl: string;
  readonly connections: number;
}): Promise<SlowAttack> {
  const bridge = await startContender('bridge', options.databaseUrl);
  let sent = 0;
  const deliverOne = async (): Promise<number> => {
    const request = buildRequest(buildBody(`slow-${(sent += 1)}`, buildCnj(sent)), BENCH_SECRET);
    const startedAt = performance.now();
    const line = await openLine(bridge.port);
    const { status } = await line.ask(request);
    const tookMs = performance.now() - startedAt;
    line.close();
    if (status !== 202) throw new Error(`bench: a genuine delivery was answered ${status}`);
    await pause();
    return tookMs;
  };
  try {
    const quiet: number[] = [];
    while (quiet.length < QUIET) quiet.push(await deliverOne());
    const closings: Promise<number>[] = [];
    const opening = (async () => {
      while (closings.length < options.connections) {
        const texts = Array.from({ length: BATCH }, (_, place) => (place % 2 === 0 ? HEAD : BODY));
        // The promise of the closing, not the closing itself.
        for (const { closed } of await Promise.all(texts.map((text) => openSlow(bridge.port, text))))
          closings.push(closed);
        await pause();
      }
    })();
    let isOver = false;
    const attacked: number[] = [];
    const serving = (async () => {
      while (!isOver) attacked.push(await deliverOne());
    })();
    await opening;
    const closedAfter = await Promise.all(closings);
    isOver = true;
    await serving;
    const [quietP99Ms, attackedP99Ms] = [percentile(quiet, 0.99), percentile(attacked, 0.99)];
    return {
      connections: closings.length,
      closedWithinMs: Math.max(...closedAfter),
      quietP99Ms,
      attackedP99Ms,
      ratioP99: attackedP99Ms / quietP99Ms,
      deliveriesDuring: attacked.length,
    };
  } finally {
    bridge.stop();
  }
}

function openSlow(port: number, text: string): Promise<{ readonly closed: Promise<number> }> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('connect', () => {
      const openedAt = performance.now();
      socket.write(text);
      socket.resume();
      resolve({
        closed: new Promise((done) => {
          socket.once('close', () => done(performance.now() - openedAt));
        }),
      });
    });
  });
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
