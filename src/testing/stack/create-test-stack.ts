/** Starts a whole stack with one call. Its parts run in a host (`host-link.ts`); the objects for the test are made here. */
import { AssertionError } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { createStarterDeps, loadTemporalConnection, resolveConfig } from '../../config/index.js';
import { connectClient, createDataConverter } from '../../temporal-client/index.js';
import type { AuditedRow } from '../audit/books.js';
import { checkNothingPaidTwice, checkStackOptions } from './check-options.js';
import { findProblems } from './find-problems.js';
import { startHost, type HostLink } from './host-link.js';
import type { StackFacts } from './messages.js';
import { createTestSandbox } from './test-sandbox.js';
import { sharedServers } from './test-servers.js';
import type { TestStack, TestStackOptions } from './types.js';

const SETTLED_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 100;

/**
 * Starts a whole stack: Temporal, PostgreSQL, the sandbox, worker and bridge, all on 127.0.0.1, and waits until it is ready.
 * Stacks are isolated: others may run at the same time, on servers of their own or on shared ones.
 *
 * @throws `tramita: …` when a server cannot be started (it says what to install) or an option is wrong.
 */
export async function createTestStack(options: TestStackOptions = {}): Promise<TestStack> {
  checkStackOptions(options);
  const { servers = sharedServers(), worker = true, sandbox = {}, env = {}, settings = {}, onProgress } = options;
  const { link, ready } = await startHost({
    task: (folder) => ({ kind: 'stack', folder, servers, worker, sandbox, env, settings }),
    onProgress,
  });
  const facts = ready.facts as StackFacts;
  const config = resolveConfig({ env: facts.env, overrides: { withoutApiKeys: true } });
  const temporal = loadTemporalConnection(facts.env);
  const { address, namespace } = temporal;
  const connection = connectClient(temporal);
  const client = new Client({ connection, namespace, dataConverter: createDataConverter(temporal) });
  const testSandbox = createTestSandbox(facts.sandbox);
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await connection.close();
    await link.stop();
  };
  return {
    client,
    config,
    deps: createStarterDeps(config, client),
    env: facts.env,
    temporal: { address, namespace },
    databaseUrl: facts.env['TRAMITA_DATABASE_URL'] ?? '',
    webhook: facts.webhook,
    sandbox: testSandbox,
    logFile: link.logFile,
    assertNothingPaidTwice: async (asked = {}) => {
      checkNothingPaidTwice(asked);
      const rows = await settledRows(link);
      const [charges, requests] = await Promise.all([testSandbox.charges(), testSandbox.requests()]);
      const message = findProblems({ rows, charges, requests }, asked);
      if (message !== undefined) throw new AssertionError({ message });
    },
    stop: () => (stopping ??= stop()),
  };
}

/** The rows of the ledger, after the calls in progress have ended or the time for that is over. */
async function settledRows(link: HostLink): Promise<readonly AuditedRow[]> {
  const deadlineMs = Date.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const answer = await link.ask({ kind: 'read ledger' });
    if (answer.kind !== 'ledger') throw new Error(`tramita: the test stack answered ${answer.kind}`);
    if (Date.now() > deadlineMs || answer.rows.every(({ state }) => state !== 'open')) return answer.rows;
    await sleep(LOOK_EVERY_MS);
  }
}
