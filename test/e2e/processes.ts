/**
 * Real processes for tests that kill them: the compiled worker and bridge as they are installed. A process is ready when it says
 * so, and is ended by SIGKILL, which no program can prepare for. Whatever still runs at the end of the file is killed.
 */
import { existsSync } from 'node:fs';
import { TRAMITA } from '../../soak/command.js';
import { freePort } from '../../src/local/index.js';
import { migrate } from '../../src/store/index.js';
import type { Flows } from '../flows/with-flows.js';
import { auditCharges, type AuditedRow, type Books } from '../../src/testing/index.js';
import { launchTramita, untilReady } from '../support/launch.js';

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
    if (!existsSync(TRAMITA)) throw new Error(`${TRAMITA} is missing: run \`npm run build\` first`);
  });

  const start = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<Program> => {
    const launched = launchTramita(args, env);
    const { child, err, ended } = launched;
    const program: Program = {
      pid: child.pid ?? -1,
      logged: err,
      kill: async () => {
        if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
        await ended;
      },
    };
    world().atEnd(program.kill);
    await untilReady(launched, args.join(' '));
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
      const { out, err, ended } = launchTramita(args, world().env);
      const exitCode = await ended;
      if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${String(exitCode)}:\n${err()}`);
      return out();
    },
    books: async () => ({
      ledger: JSON.parse(await programs.run(['ledger', 'list', '--json'])) as AuditedRow[],
      book: await world().charges(),
    }),
    audit: async () => expect(auditCharges(await programs.books())).toEqual([]),
  };
  return programs;
}
