/** Wires to servers: connections are led on byte for byte, and can be reset at once. Loopback, TCP. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

interface Wire {
  readonly address: string;
  /** Targets of the standing connections, one for each. */
  targets(): readonly string[];
  /** Resets the standing connections; only those to `target` where it is given. */
  drop(target?: string): void;
  close(): Promise<void>;
}

/** `pick` says where a new connection leads, as `host:port`; undefined: it is refused. */
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
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
  /** All standing connections at once. */
  dropAll(): void;
  /** New connections go there from now on; undefined: they are refused. Standing ones are reset. */
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
