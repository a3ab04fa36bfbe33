/** A wire to a server whose connections can all be reset at once, or that is away for a while. Loopback, TCP, bytes as they are. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Proxy {
  readonly address: string;
  /** All standing connections at once. */
  dropAll(): void;
  /** Away: standing connections are reset, new ones as well, until it is back. */
  setAway(away: boolean): void;
  close(): Promise<void>;
}

export async function createProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(`tcp://${target}`);
  const open = new Set<Socket>();
  let isAway = false;

  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (isAway) {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.pipe(to);
      from.on('error', end);
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
      open.add(from);
    }
  });
  const dropAll = (): void => {
    for (const socket of open) socket.resetAndDestroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    dropAll,
    setAway: (away) => {
      isAway = away;
      if (away) dropAll();
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
