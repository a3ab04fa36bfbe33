/** Ports of our own programs, the same ones at every start where they are free: pasted lines and links keep working. */
import { freePort } from './free-port.js';
import { readJson, writeJson } from './state-file.js';

export async function keepPorts<Name extends string>({
  file,
  names,
}: {
  readonly file: string;
  readonly names: readonly Name[];
}): Promise<Readonly<Record<Name, number>>> {
  const last = readJson<Record<string, number>>(file) ?? {};
  const ports = {} as Record<Name, number>;
  for (const name of names) {
    const before: unknown = last[name];
    ports[name] = await freePort({ prefer: typeof before === 'number' ? [before] : [] });
  }
  writeJson(file, ports);
  return ports;
}
