/** A wire to a server whose connections can all be reset at once, or that is away for a while. Loopback, TCP, bytes as they are. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Proxy {
  readonly address: string;
  /** All standing connections at once. */
  dropAll(): void;
  /** New connections go there from now on; undefined: they are refused. Standing ones are reset. */
  lead(target: string | undefined): void;
  close(): Promise<void>;
}

export async function createProxy(target: string): Promise<Proxy> {
  let to: URL | undefined = new URL(`tcp://${target}`);
  const open = new Set<Socket>();

  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (to === undefined) {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ host: to.hostname, port: Number(to.port), allowHalfOpen: true });
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const [from, onto] of [
      [near, far],
      [far, near],
    ] as const) {
      from.pipe(onto);
      from.on('error', end);
      from.on('close', () => {
        open.delete(from);
        onto.destroy();
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
    lead: (next) => {
      to = next === undefined ? undefined : new URL(`tcp://${next}`);
      dropAll();
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
