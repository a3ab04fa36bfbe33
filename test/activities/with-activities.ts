/** Activities as plain functions: a real database and a sandbox, no Temporal. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActivityDeps } from '../../src/activities/index.js';
import { resolveConfig } from '../../src/config/index.js';
import { createInbox } from '../../src/inbox/index.js';
import type { Traces } from '../../src/traces/index.js';
import { buildActivityDeps } from '../../src/workers/build-deps.js';
import { controlOf, startSandbox, type Control, type Sandbox, type SandboxOptions } from '../../sandbox/index.js';
import { withDatabase } from '../support/database.js';
import { serve } from '../../soak/loopback.js';

export interface WorldOptions {
  readonly sandbox?: SandboxOptions;
  /** Settings of account `default`, as in the file of TRAMITA_CONFIG. With them the outage brake is off unless they set it. */
  readonly account?: Readonly<Record<string, unknown>>;
  /** As in that file. */
  readonly prices?: Readonly<Record<string, string>>;
  /** True: the tests move the clock with {@link World.advance}. */
  readonly movable?: boolean;
}

export interface World {
  readonly database: ReturnType<typeof withDatabase>;
  readonly deps: () => ActivityDeps;
  readonly sandbox: () => Sandbox;
  /** The same dependencies with another service behind them. */
  readonly depsAt: (apiUrl: string, traces?: Traces) => ActivityDeps;
  readonly control: Control;
  /** Starts a service of a few lines, and returns its URL. */
  readonly serve: (handle: RequestListener) => Promise<string>;
  readonly advance: (ms: number) => void;
}

const SETTINGS = 'settings.json';

/** To be called inside `describe`: opens before its tests and closes after them. */
export function withActivities({ sandbox: options = {}, account, prices, movable = false }: WorldOptions = {}): World {
  const realNow = Date.now;
  let offsetMs = 0;
  if (movable) {
    // Before anything opens, because the parts keep the clock that they find.
    beforeAll(() => void jest.spyOn(Date, 'now').mockImplementation(() => realNow() + offsetMs));
    afterAll(() => jest.restoreAllMocks());
  }
  const database = withDatabase();
  let sandbox: Sandbox;
  let deps: ActivityDeps;
  let dir: string;

  const depsAt = (apiUrl: string, traces?: Traces): ActivityDeps => {
    const config = resolveConfig({
      env: {
        TRAMITA_API_URL: apiUrl,
        TRAMITA_API_KEY: 'sandbox-key',
        TRAMITA_DATABASE_URL: database.url,
        TRAMITA_ID_KEY: 'id-key-of-the-tests-0123456789abcdef',
        TRAMITA_FILES_DIR: dir,
        ...(account === undefined && prices === undefined ? {} : { TRAMITA_CONFIG: join(dir, SETTINGS) }),
      },
    });
    const inbox = createInbox({ db: database.db, clock: Date.now });
    const silent = (): void => undefined;
    const next = buildActivityDeps({
      config,
      db: database.db,
      log: { info: silent, warn: silent, error: silent },
      client: undefined as never,
      wake: () => Promise.resolve(),
      inbox,
      traces,
    });
    database.atEnd(async () => {
      next.accounts.forEach(({ client }) => client.close());
      await Promise.all([next.spool.close(), next.journal.close()]);
    });
    return next;
  };

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tramita-activities-'));
    database.atEnd(() => rmSync(dir, { recursive: true, force: true }));
    sandbox = await startSandbox(options);
    database.atEnd(() => sandbox.close());
    const accounts = { default: { outageAfter: 0, ...account } };
    writeFileSync(join(dir, SETTINGS), JSON.stringify({ accounts, ...(prices === undefined ? {} : { prices }) }));
    deps = depsAt(sandbox.url);
  });

  return {
    database,
    deps: () => deps,
    depsAt,
    sandbox: () => sandbox,
    control: (path, body) => controlOf(sandbox.controlUrl)(path, body),
    serve: async (handle) => {
      const { url, close } = await serve(handle);
      database.atEnd(close);
      return url;
    },
    advance: (ms) => void (offsetMs += ms),
  };
}
