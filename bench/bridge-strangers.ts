/**
 * Strangers, in another process: connections that send headers and a part of a body, and then stay open. Their signatures
 * have the right form, so that only the whole body could show that they are forged. Started by `fork`; reports when all
 * connections are open, and when all have been closed.
 */
import { connect } from 'node:net';

/** About 1,500 connections a second. */
const BATCH = 30;
const PAUSE_MS = 20;
/** Declared length of the body, and how much of it is sent. */
const SIZES = [
  [1_000, 6],
  [8_000, 7_000],
  [200_000, 100_000],
  [1_048_576, 500_000],
] as const;

const FILLING = Buffer.alloc(1_048_576, 'x');

/** `closed`: milliseconds until the connection was closed, in whatever way. */
function stay(port: number, place: number): { readonly sent: Promise<void>; readonly closed: Promise<number> } {
  const [promised, part] = SIZES[place % SIZES.length] ?? SIZES[0];
  const head = [
    'POST /webhooks HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `X-Service-Signature: sha256=${'0'.repeat(64)}`,
    `Content-Length: ${promised}`,
  ];
  const socket = connect(port, '127.0.0.1');
  let openedAt = performance.now();
  const sent = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.once('connect', () => {
      openedAt = performance.now();
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      socket.write(FILLING.subarray(0, part));
      resolve();
    });
  });
  const closed = new Promise<number>((resolve) => {
    // A bridge resets a connection whose body it does not read.
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(performance.now() - openedAt));
  });
  socket.resume();
  return { sent, closed };
}

async function main(): Promise<void> {
  const [, , port = '0', count = '0'] = process.argv;
  const closings: Promise<number>[] = [];
  while (closings.length < Number(count)) {
    const batch = Array.from({ length: Math.min(BATCH, Number(count) - closings.length) }, (_, place) =>
      stay(Number(port), closings.length + place),
    );
    closings.push(...batch.map(({ closed }) => closed));
    await Promise.all(batch.map(({ sent }) => sent));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  process.send?.({ all: 'there' });
  const closedAfterMs = await Promise.all(closings);
  process.send?.({ all: 'closed', closedWithinMs: Math.max(...closedAfterMs) });
}

process.on('disconnect', () => process.exit(0));
main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
