/** One call for a whole stack; what it starts lives in a host (`host-link.ts`), what a test holds is made here. */
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
 * A stack belongs to nobody else: other stacks may run beside it, on servers of their own or on shared ones.
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
  const imitated = createTestSandbox(facts.sandbox);
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
    sandbox: imitated,
    logFile: link.logFile,
    assertNothingPaidTwice: async (asked = {}) => {
      checkNothingPaidTwice(asked);
      const rows = await settledRows(link);
      const [charges, requests] = await Promise.all([imitated.charges(), imitated.requests()]);
      const message = findProblems({ rows, charges, requests }, asked);
      if (message !== undefined) throw new AssertionError({ message });
    },
    stop: () => (stopping ??= stop()),
  };
}

/** The ledger, without calls on their way where those end in time. */
async function settledRows(link: HostLink): Promise<readonly AuditedRow[]> {
  const deadlineMs = Date.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const answer = await link.ask({ kind: 'read ledger' });
    if (answer.kind !== 'ledger') throw new Error(`tramita: the test stack answered ${answer.kind}`);
    if (Date.now() > deadlineMs || answer.rows.every(({ state }) => state !== 'open')) return answer.rows;
    await sleep(LOOK_EVERY_MS);
  }
}
