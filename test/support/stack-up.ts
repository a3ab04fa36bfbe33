/**
 * Global set-up of the rungs flows, cli and e2e: one Temporal server and one PostgreSQL for the whole run, in a folder of
 * their own, so that a developer's own stack is not disturbed. Tests find them in `TRAMITA_TEST_TEMPORAL_ADDRESS` and
 * `TRAMITA_TEST_DATABASE_URL`, and the UI of a server of our own in `TRAMITA_TEST_TEMPORAL_UI`. What is set already (by
 * `postgres-up.ts`, or by a person: `TEMPORAL_ADDRESS`, `TRAMITA_DATABASE_URL`) is used and not stopped. Folders that a killed
 * run left behind are cleaned first.
 */
import './js-means-ts.cjs';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  claimStack,
  cleanLeftovers,
  readStack,
  startOwnPostgres,
  startOwnTemporal,
  withShutdown,
  type ServerContext,
} from '../../src/local/index.js';
import { variableIn } from '../../src/local/stack/stack-context.js';
import { poolerUp } from './pgbouncer.js';

const PREFIX = 'tramita-test-stack-';
const { env } = process;

/** Kept for `stack-down.ts`, which jest loads in the same process. */
export interface TestStack {
  readonly stop: () => Promise<void>;
}
declare global {
  var tramitaTestStack: TestStack | undefined;
}

export default async function stackUp(): Promise<void> {
  await removeLeftStacks();
  const root = mkdtempSync(join(tmpdir(), PREFIX));
  // As root, PostgreSQL runs under another account, which has to enter this folder.
  chmodSync(root, 0o711);
  env['TRAMITA_TEST_BUNDLES'] = mkdtempSync(join(root, 'bundles-'));
  const { promise: over, resolve: end } = withResolvers();
  const { promise: ready, resolve: isReady, reject: failed } = withResolvers();
  const running = withShutdown({
    onProgress: say,
    body: async (shutdown) => {
      const stack = await claimStack({ root, onProgress: say });
      shutdown.add({ name: 'stack record', stop: stack.release });
      const context = { stack, shutdown, env, onProgress: say, signal: shutdown.signal };
      await Promise.all([temporalUp(context), postgresUp(context)]);
      const pooler = await poolerUp();
      if (pooler !== undefined) shutdown.add({ name: 'PgBouncer', ...pooler });
      isReady();
      await Promise.race([over, shutdown.requested]);
    },
  }).finally(() => rmSync(root, { recursive: true, force: true }));
  running.then((result) => {
    if (result.ended === 'requested') process.exit(1);
  }, failed);
  await ready;
  globalThis.tramitaTestStack = {
    stop: async () => {
      end();
      await running;
    },
  };
}

async function temporalUp(context: ServerContext): Promise<void> {
  if (env['TRAMITA_TEST_TEMPORAL_ADDRESS'] !== undefined) return;
  const given = variableIn(env, 'TEMPORAL_ADDRESS');
  if (given !== undefined) {
    env['TRAMITA_TEST_TEMPORAL_ADDRESS'] = given;
    return;
  }
  const temporal = await startOwnTemporal(context);
  env['TRAMITA_TEST_TEMPORAL_ADDRESS'] = temporal.address;
  env['TRAMITA_TEST_TEMPORAL_UI'] = temporal.uiUrl;
  env['TRAMITA_TEST_TEMPORAL_HTTP'] = temporal.httpUrl;
}

async function postgresUp(context: ServerContext): Promise<void> {
  if (env['TRAMITA_TEST_DATABASE_URL'] !== undefined) return;
  const given = variableIn(env, 'TRAMITA_DATABASE_URL');
  if (given !== undefined) {
    env['TRAMITA_TEST_DATABASE_URL'] = given;
    return;
  }
  const { url } = await startOwnPostgres(context);
  env['TRAMITA_TEST_DATABASE_URL'] = url;
  env['TRAMITA_TEST_DATABASE_LOG'] = context.stack.logFile('postgres');
}

/** Stacks of concurrent runs are left alone: their owner lives. A folder without a record may be in the making. */
async function removeLeftStacks(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const root = join(tmpdir(), name);
    if (readStack(root)?.isRunning !== false) continue;
    await cleanLeftovers({ root, onProgress: say });
    rmSync(root, { recursive: true, force: true });
  }
}

function say({ kind, text }: { readonly kind: string; readonly text: string }): void {
  if (kind !== 'tick' && !text.startsWith('stopping ')) process.stderr.write(`test stack: ${text}\n`);
}

function withResolvers(): { promise: Promise<void>; resolve: () => void; reject: (error: unknown) => void } {
  let resolve = (): void => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((whenDone, whenFailed) => {
    resolve = whenDone;
    reject = whenFailed;
  });
  return { promise, resolve, reject };
}
