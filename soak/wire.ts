/**
 * A wire that can be cut, and that remembers when each connection's first bytes passed in either direction: so it is known
 * whether a killed worker's request had left. Loopback, TCP, bytes as they are.
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** What is remembered of a request: enough for its first line, its headers and a small body. */
const REMEMBERED_BYTES = 4_096;

export interface Passage {
  readonly openedAtMs: number;
  /** First byte towards the service. */
  sentAtMs: number | undefined;
  /** First byte of the answer. */
  answeredAtMs: number | undefined;
  /** Beginning of what was sent. */
  request: string;
}

/** How the next connection is cut: after so many bytes in one direction. */
export interface Cut {
  readonly direction: 'up' | 'down';
  readonly afterBytes: number;
  readonly how: 'reset' | 'end';
}

export interface Proxy {
  readonly address: string;
  readonly passages: readonly Passage[];
  /** Called at the first byte of every request. */
  onRequest(listener: ((passage: Passage) => void) | undefined): void;
  /** One per following connection, in order. */
  cutNext(cuts: readonly Cut[]): void;
  /** Cuts made so far by {@link cutNext}. */
  cutsMade(): number;
  /** All standing connections at once; how many. */
  dropAll(): number;
  close(): Promise<void>;
}

export async function createProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(`tcp://${target}`);
  const passages: Passage[] = [];
  const pending: Cut[] = [];
  const open = new Set<Socket>();
  let listener: ((passage: Passage) => void) | undefined;
  let made = 0;

  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const passage: Passage = { openedAtMs: Date.now(), sentAtMs: undefined, answeredAtMs: undefined, request: '' };
    passages.push(passage);
    const cut = pending.shift();
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    const carry = (from: Socket, to: Socket, direction: 'up' | 'down'): void => {
      let passed = 0;
      from.on('data', (chunk: Buffer) => {
        const room = cut?.direction === direction ? cut.afterBytes - passed : Infinity;
        passed += chunk.length;
        if (chunk.length <= room) {
          to.write(chunk);
          return;
        }
        if (room > 0) to.write(chunk.subarray(0, room));
        made += 1;
        if (cut?.how === 'end') to.end(end);
        else {
          // What was let through has to arrive before the reset does.
          setTimeout(() => {
            near.resetAndDestroy();
            far.resetAndDestroy();
          }, 2);
        }
        from.removeAllListeners('data');
      });
      from.on('end', () => to.end());
      from.on('error', end);
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
      open.add(from);
    };
    near.on('data', (chunk: Buffer) => {
      if (passage.request.length < REMEMBERED_BYTES) passage.request += chunk.toString('latin1');
      if (passage.sentAtMs !== undefined) return;
      passage.sentAtMs = Date.now();
      listener?.(passage);
    });
    far.once('data', () => (passage.answeredAtMs = Date.now()));
    carry(near, far, 'up');
    carry(far, near, 'down');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    passages,
    onRequest: (given) => (listener = given),
    cutNext: (cuts) => pending.push(...cuts),
    cutsMade: () => made,
    dropAll: () => {
      const standing = [...open];
      for (const socket of standing) socket.resetAndDestroy();
      return standing.length;
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
