/**
 * Real processes for tests that kill them: the compiled worker and bridge as they are installed. A process is ready when it says
 * so, and is ended by SIGKILL, which no program can prepare for. Whatever still runs at the end of the file is killed.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, packageRoot } from '../../src/local/index.js';
import { migrate } from '../../src/store/index.js';
import type { Flows } from '../flows/with-flows.js';
import { auditCharges, type AuditedRow, type Books } from '../../src/testing/index.js';
import { until } from '../support/until.js';

const MAIN = join(packageRoot(), 'dist', 'src', 'cli', 'main.js');
/** Bundling the flows takes 2 to 4 s, ten times as long on a machine that is busy. */
const READY_WITHIN_MS = 90_000;

export const WEBHOOK_SECRET = 'secret-of-the-killed-0123456789';

export interface Program {
  readonly pid: number;
  /** Its log so far, JSON lines. */
  logged(): string;
  /** Sends SIGKILL and resolves when the process is gone. Does nothing when it has ended before. */
  kill(): Promise<void>;
}

export interface BridgeProgram extends Program {
  /** Where the service posts its webhooks; the same for every bridge of the file. */
  readonly webhookUrl: string;
  /** Base URL of its private listener. */
  readonly opsUrl: string;
}

export interface Programs {
  /** `more`: environment on top of that of the flows. */
  startWorker(more?: Readonly<Record<string, string>>): Promise<Program>;
  /** `temporalAddress`: another server than that of the test run, such as one that does not exist. */
  startBridge(options?: { readonly temporalAddress?: string }): Promise<BridgeProgram>;
  /** Runs one command to its end and returns its standard output. */
  run(args: readonly string[]): Promise<string>;
  /** `tramita ledger list --json` and the service's charge book. */
  books(): Promise<Books>;
  /** Fails with every difference between the two. */
  audit(): Promise<void>;
}

/** Call once, at the top of a file or a `describe`; its processes are killed before their world ends. */
export function withPrograms(world: () => Flows): Programs {
  const ports: { bridge?: number; ops?: number } = {};
  beforeAll(() => {
    if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run \`npm run build\` first`);
  });

  const start = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<Program> => {
    const { child, printed, errors, ended } = launch(args, env);
    const program: Program = {
      pid: child.pid ?? -1,
      logged: errors,
      kill: async () => {
        if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
        await ended;
      },
    };
    world().atEnd(program.kill);
    const ready = (): boolean => {
      if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended with ${child.exitCode}:\n${errors()}`);
      return printed().includes('"ready": true');
    };
    await until(ready, { withinMs: READY_WITHIN_MS, what: `${args.join(' ')} to be ready` });
    return program;
  };

  const programs: Programs = {
    startWorker: (more = {}) => start(['worker', '--json'], { ...world().env, ...more }),
    startBridge: async ({ temporalAddress } = {}) => {
      const { database } = world();
      await migrate(database.directUrl, { bridgeUrl: database.bridgeUrl });
      ports.bridge ??= await freePort();
      ports.ops ??= await freePort();
      const program = await start(['bridge', '--json'], {
        TEMPORAL_ADDRESS: temporalAddress ?? process.env['TRAMITA_TEST_TEMPORAL_ADDRESS'] ?? '',
        TRAMITA_BRIDGE_DATABASE_URL: database.bridgeUrl,
        TRAMITA_BRIDGE_LISTEN: `127.0.0.1:${ports.bridge}`,
        TRAMITA_BRIDGE_OPS_LISTEN: `127.0.0.1:${ports.ops}`,
        TRAMITA_WEBHOOK_SECRETS: WEBHOOK_SECRET,
      });
      return {
        ...program,
        webhookUrl: `http://127.0.0.1:${ports.bridge}/webhooks`,
        opsUrl: `http://127.0.0.1:${ports.ops}`,
      };
    },
    run: async (args) => {
      const { printed, errors, ended } = launch(args, world().env);
      const exitCode = await ended;
      if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${String(exitCode)}:\n${errors()}`);
      return printed();
    },
    books: async () => ({
      ledger: JSON.parse(await programs.run(['ledger', 'list', '--json'])) as AuditedRow[],
      book: await world().charges(),
    }),
    audit: async () => expect(auditCharges(await programs.books())).toEqual([]),
  };
  return programs;
}

interface Launched {
  readonly child: ChildProcess;
  /** Standard output. */
  readonly printed: () => string;
  readonly errors: () => string;
  readonly ended: Promise<number | null>;
}

function launch(args: readonly string[], env: Readonly<Record<string, string>>): Launched {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return {
    child,
    printed: () => out,
    errors: () => errors,
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
}
