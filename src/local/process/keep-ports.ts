/** Ports of our own programs, the same ones at every start where they are free: pasted lines and links keep working. */
import { freePort, preferring } from './free-port.js';
import { readJson, writeJson } from './state-file.js';

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
