/** Activities as plain functions: a real database and a sandbox, no Temporal. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActivityDeps } from '../../src/activities/index.js';
import { resolveConfig } from '../../src/config/index.js';
import { buildActivityDeps } from '../../src/workers/build-deps.js';
import { startSandbox, type Sandbox } from '../../sandbox/index.js';
import { withDatabase } from '../support/database.js';

export interface World {
  readonly database: ReturnType<typeof withDatabase>;
  readonly deps: () => ActivityDeps;
  readonly sandbox: () => Sandbox;
  /** The same with another service behind them. */
  readonly depsAt: (apiUrl: string) => ActivityDeps;
  /** A POST to the sandbox's control, or a GET without a body. */
  readonly control: <T>(path: string, body?: unknown) => Promise<T>;
}

/** To be called inside `describe`: opens before its tests and closes after them. */
export function withActivities(): World {
  const database = withDatabase();
  const made: ActivityDeps[] = [];
  let sandbox: Sandbox;
  let deps: ActivityDeps;
  let dir: string;

  const depsAt = (apiUrl: string): ActivityDeps => {
    const config = resolveConfig({
      env: {
        TRAMITA_API_URL: apiUrl,
        TRAMITA_API_KEY: 'sandbox-key',
        TRAMITA_DATABASE_URL: database.url,
        TRAMITA_ID_KEY: 'id-key-of-the-tests-0123456789abcdef',
        TRAMITA_FILES_DIR: dir,
      },
    });
    const silent = (): void => undefined;
    const next = buildActivityDeps({
      config,
      db: database.db,
      log: { info: silent, warn: silent, error: silent },
      client: undefined as never,
      wake: () => Promise.resolve(),
      eventsFor: () => Promise.resolve([]),
      waitFor: () => Promise.resolve(),
    });
    made.push(next);
    return next;
  };

  beforeAll(async () => {
    sandbox = await startSandbox({ port: 0 });
    dir = mkdtempSync(join(tmpdir(), 'tramita-activities-'));
    deps = depsAt(sandbox.url);
  }, 30_000);

  afterAll(async () => {
    for (const { accounts } of made) for (const { client } of accounts.values()) client.close();
    await sandbox.close();
    rmSync(dir, { recursive: true, force: true });
  });

  return {
    database,
    deps: () => deps,
    depsAt,
    sandbox: () => sandbox,
    control: async (path, body) => {
      const headers = { 'content-type': 'application/json' };
      const post = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
      const answer = await fetch(`${sandbox.controlUrl}${path}`, post);
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as never;
    },
  };
}
