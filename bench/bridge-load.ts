/**
 * A closed loop of deliveries over keep-alive connections: each connection sends the next request when it has its answer.
 * Counts the answers by kind. An answer that a delivery of its kind must not get ends the run.
 */
import { connect, type Socket } from 'node:net';
import type { DeliveryKind, Request } from './bridge-deliveries.js';

interface Load {
  readonly seconds: number;
  /** Deliveries answered 2xx: new ones and duplicates. */
  readonly accepted: number;
  readonly answered: Readonly<Record<DeliveryKind, number>>;
  /** Latencies of accepted deliveries, in milliseconds. */
  readonly latenciesMs: readonly number[];
}

export async function runLoad(options: {
  readonly port: number;
  readonly connections: number;
  readonly forMs: number;
  readonly next: () => Request;
}): Promise<Load> {
  const { port, connections, forMs, next } = options;
  const answered: Record<DeliveryKind, number> = { new: 0, duplicate: 0, forged: 0 };
  const latenciesMs: number[] = [];
  const started = performance.now();
  const isOver = (): boolean => performance.now() - started >= forMs;
  const work = async (): Promise<void> => {
    let line = await openLine(port);
    try {
      while (!isOver()) {
        const { kind, bytes } = next();
        const sentAt = performance.now();
        const { status, closes } = await line.ask(bytes);
        if (status !== (kind === 'forged' ? 401 : 202))
          throw new Error(`bench: a ${kind} delivery was answered ${status}`);
        answered[kind] += 1;
        if (kind !== 'forged') latenciesMs.push(performance.now() - sentAt);
        if (closes) {
          line.close();
          line = await openLine(port);
        }
      }
    } finally {
      line.close();
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  const seconds = (performance.now() - started) / 1_000;
  return { seconds, accepted: answered.new + answered.duplicate, answered, latenciesMs };
}

interface Line {
  readonly ask: (bytes: Buffer) => Promise<{ readonly status: number; readonly closes: boolean }>;
  readonly close: () => void;
}

/** One keep-alive connection, one request at a time. */
export function openLine(port: number): Promise<Line> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let waiting:
      | {
          readonly resolve: (answer: Awaited<ReturnType<Line['ask']>>) => void;
          readonly reject: (problem: Error) => void;
        }
      | undefined;
    let text = '';
    const fail = (problem: Error): void => {
      reject(problem);
      waiting?.reject(problem);
      waiting = undefined;
    };
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('bench: the connection was closed before the answer')));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const answer = readAnswer(text);
      if (answer === undefined) return;
      text = '';
      const done = waiting;
      waiting = undefined;
      done?.resolve(answer);
    });
    socket.on('connect', () =>
      resolve({
        ask: (bytes) =>
          new Promise((answered, failed) => {
            waiting = { resolve: answered, reject: failed };
            socket.write(bytes);
          }),
        close: () => socket.destroy(),
      }),
    );
  });
}

function readAnswer(text: string): Awaited<ReturnType<Line['ask']>> | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
  if (text.length < end + 4 + length) return undefined;
  return { status: Number(head.slice(9, 12)), closes: /^connection: close/im.test(head) };
}
