/** Wires to servers: they forward connections byte for byte, and can reset them at any time. Loopback, TCP. */
import { connect, createServer, type Socket } from 'node:net';
import { listen } from './loopback.js';

interface Wire {
  readonly address: string;
  /** Targets of the open connections, one for each. */
  targets(): readonly string[];
  /** Resets the open connections; with `target`, only those to it. */
  drop(target?: string): void;
  close(): Promise<void>;
}

/** `pick` returns the target of a new connection as `host:port`; undefined: the connection is refused. */
export async function createWire(pick: () => string | undefined): Promise<Wire> {
  const open = new Map<Socket, string>();
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const target = pick();
    if (target === undefined) {
      near.resetAndDestroy();
      return;
    }
    const { hostname, port } = new URL(`tcp://${target}`);
    const far = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    open.set(near, target);
    for (const [from, onto] of [
      [near, far],
      [far, near],
    ] as const) {
      from.pipe(onto);
      from.on('error', end);
      from.on('close', () => {
        open.delete(near);
        onto.destroy();
      });
    }
  });
  return {
    address: await listen(server),
    targets: () => [...open.values()],
    drop: (target) => {
      for (const [near, to] of open) if (target === undefined || to === target) near.resetAndDestroy();
    },
    close: async () => {
      for (const near of open.keys()) near.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface Proxy {
  readonly address: string;
  /** Resets all open connections at once. */
  dropAll(): void;
  /** Leads new connections to this target from now on; undefined: they are refused. Open connections are reset. */
  lead(target: string | undefined): void;
  close(): Promise<void>;
}

export async function createProxy(target: string): Promise<Proxy> {
  let to: string | undefined = target;
  const wire = await createWire(() => to);
  return {
    address: wire.address,
    dropAll: () => wire.drop(),
    lead: (next) => {
      to = next;
      wire.drop();
    },
    close: () => wire.close(),
  };
}
