/** Fault F0: closes a listener for a while, so that connections are refused by the operating system, then opens it again. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HOST } from './server.js';

export interface ConnectionGate {
  /** Refuses from now on, for `ms` of real time. A second call while closed extends the window. */
  refuseFor(ms: number): void;
  /** Opens again now, if closed. */
  open(): Promise<void>;
}

export function createConnectionGate(server: Server): ConnectionGate {
  let port = 0;
  let timer: NodeJS.Timeout | undefined;
  const open = async (): Promise<void> => {
    clearTimeout(timer);
    if (timer === undefined) return;
    timer = undefined;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, HOST, () => {
        server.off('error', reject);
        resolve();
      });
    });
  };
  return {
    refuseFor(ms) {
      if (timer === undefined) {
        port = (server.address() as AddressInfo).port;
        server.close();
        server.closeIdleConnections();
      }
      clearTimeout(timer);
      timer = setTimeout(() => void open(), ms);
    },
    open,
  };
}
