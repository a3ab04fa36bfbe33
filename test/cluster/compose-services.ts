/**
 * The services of `docker-compose.yml` as processes of this machine: command, environment, secrets and health check are read
 * from the file, and what only containers have (host names, ports, paths) is replaced by what this machine has.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../src/local/index.js';
import { until } from '../support/until.js';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test: readonly string[] };
}

const compose = parse(readFileSync(join(packageRoot(), 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly configs: Readonly<Record<string, { readonly content?: string }>>;
};
const MAIN = join(packageRoot(), 'dist', 'src', 'cli', 'main.js');
/** `ENTRYPOINT` of our image, as in the Dockerfile. */
const ENTRYPOINT = [process.execPath, MAIN];
const READY_WITHIN_MS = 120_000;

/** Text in the file → text on this machine, replaced in this order. */
type Replacements = readonly (readonly [inFile: string, here: string])[];

export interface Ran {
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  /** Sends SIGTERM, as Docker does, and resolves with the exit code. */
  stop(): Promise<number | null>;
  readonly log: () => string;
}

export interface Native {
  /** Runs the service to its end; `args` replace its command, as in `docker compose run <service> …`. */
  run(service: string, args?: readonly string[]): Promise<Ran>;
  /** Starts the service and waits until its own health check succeeds. */
  start(service: string): Promise<Running>;
  /** Runs its health check once and returns the exit code. */
  health(service: string): Promise<number | null>;
  /** The text of a config in the file. */
  config(name: string): string;
}

/** Replacements `of` the service come before those of `all`. `env`: further environment of the container. */
export function composeServices(place: {
  readonly all: Replacements;
  readonly of: Readonly<Record<string, Replacements>>;
  readonly env: (service: string) => Readonly<Record<string, string>>;
}): Native {
  const serviceOf = (name: string): Service => {
    const found = compose.services[name];
    if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
    return found;
  };
  const here =
    (name: string) =>
    (text: string): string =>
      // `$$` is Compose's way to write a dollar
      [...(place.of[name] ?? []), ...place.all].reduce(
        (result, [inFile, replacement]) => result.replaceAll(inFile, replacement),
        text.replaceAll('$$', '$'),
      );
  const launch = (name: string, words: readonly string[]): ChildProcess => {
    const { PATH = '', HOME = '' } = process.env;
    const set = Object.entries(serviceOf(name).environment ?? {}).map(([key, value]) => [key, here(name)(value)]);
    const [program = '', ...args] = words.map(here(name));
    const env = { PATH, HOME, ...place.env(name), ...(Object.fromEntries(set) as Record<string, string>) };
    return spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  };
  const wordsOf = (name: string, args?: readonly string[]): readonly string[] => {
    const { image, entrypoint = image === 'tramita:local' ? ENTRYPOINT : [], command = [] } = serviceOf(name);
    return [...entrypoint, ...(args ?? command)];
  };
  const health = async (name: string): Promise<number | null> => {
    const [kind, ...words] = serviceOf(name).healthcheck?.test ?? [];
    if (kind !== 'CMD') throw new Error(`${name} has no health check`);
    return (await collect(launch(name, words))).exitCode;
  };
  return {
    health,
    run: (name, args) => collect(launch(name, wordsOf(name, args))),
    start: async (name) => {
      const child = launch(name, wordsOf(name));
      let log = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on('data', (chunk: Buffer) => (log += chunk.toString()));
      }
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      const running: Running = {
        log: () => log,
        stop: () => {
          child.kill('SIGTERM');
          return ended;
        },
      };
      await until(
        async () => {
          if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}:\n${log}`);
          return (await health(name)) === 0;
        },
        { withinMs: READY_WITHIN_MS, everyMs: 250, what: `${name} to be healthy` },
      ).catch((error: unknown) => {
        child.kill('SIGKILL');
        throw new Error(`${(error as Error).message}\n${log.slice(-2_000)}`);
      });
      return running;
    },
    config: (name) => {
      const { content } = compose.configs[name] ?? {};
      if (content === undefined) throw new Error(`docker-compose.yml has no config ${name} with content`);
      return here('')(content);
    },
  };
}

export async function collect(child: ChildProcess): Promise<Ran> {
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve).once('error', reject);
  });
  return { exitCode, out, err };
}
