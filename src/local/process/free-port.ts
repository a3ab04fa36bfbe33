/**
 * Free loopback ports. Taken below the range from which systems give ports to outgoing connections (Linux 32768,
 * macOS 49152), so that the port of an earlier run is still free at the next start and its links keep working.
 */
import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';
import { readJson, writeJson } from './state-file.js';

const FIRST_PORT = 20_000;
const LAST_PORT = 29_999;
const TRIES = 50;
const LOOPBACK = '127.0.0.1';

/** Handed out in this process and perhaps not bound yet. */
const handedOut = new Set<number>();

interface FreePortOptions {
  readonly prefer?: readonly number[];
  /** Loopback addresses on all of which it must be free. */
  readonly hosts?: readonly string[];
}

/** The first of `prefer` that is free, else a random free port. */
export async function freePort({ prefer = [], hosts = [LOOPBACK] }: FreePortOptions = {}): Promise<number> {
  const candidates = [...prefer, ...Array.from({ length: TRIES }, () => randomInt(FIRST_PORT, LAST_PORT + 1))];
  for (const port of candidates) {
    if (handedOut.has(port) && !prefer.includes(port)) continue;
    const isFree = await Promise.all(hosts.map((host) => isPortFree(port, host)));
    if (!isFree.includes(false)) {
      handedOut.add(port);
      return port;
    }
  }
  throw new Error(
    `tramita: no free port among ${TRIES} tries between ${FIRST_PORT} and ${LAST_PORT} on ${hosts.join(' and ')}; stop what listens there`,
  );
}

/** The port of an earlier run, as a state file has it. */
export function preferring(port: unknown): { readonly prefer: readonly number[] } {
  return { prefer: typeof port === 'number' ? [port] : [] };
}

export function isPortFree(port: number, host = LOOPBACK): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** Ports of our own programs, the same ones at every start where they are free: pasted lines and links keep working. */
export async function keepPorts<Name extends string>(
  file: string,
  names: readonly Name[],
): Promise<Readonly<Record<Name, number>>> {
  const last = readJson<Record<string, number>>(file) ?? {};
  const ports = {} as Record<Name, number>;
  for (const name of names) {
    ports[name] = await freePort(preferring(last[name]));
  }
  writeJson(file, ports);
  return ports;
}
