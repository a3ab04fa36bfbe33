/**
 * Free reads of the service for people: one attempt, no retry, never a charged operation. With a database they follow the rules
 * of a worker's reads: an unexpected charge is booked, and that read is not repeated. They are made without one, too.
 */
import { OPERATIONS, withExtraOperations, type OperationId } from '../../contract/index.js';
import type { Config } from '../../config/index.js';
import { createServiceClient, parseStrictJson, readFree, type FreeAnswer, type ReadBook } from '../../http/index.js';
import type { Parsed } from '../../protocol/index.js';
import { connect, type Database } from '../../store/index.js';
import type { CliContext } from '../context.js';
import { openLedger } from './with-ledger.js';

const WITHIN_MS = 15_000;

/** `account` is a name of the configuration. */
export type ReadForPeople = (
  account: string,
  operation: Extract<OperationId, 'getBalance' | 'getAvailability'>,
) => Promise<Parsed<unknown>>;

export async function withFreeReads<T>(
  { err }: Pick<CliContext, 'err'>,
  config: Config,
  use: (read: ReadForPeople) => Promise<T>,
): Promise<T> {
  const { databaseUrl: url, gaps } = config;
  const db = url === undefined ? undefined : connect({ url, applicationName: 'tramita-cli', max: 1 });
  const deps = {
    ledger: bookOf(config, db),
    catalogue: withExtraOperations(OPERATIONS, []),
    gaps,
    clock: { nowMs: () => Date.now() },
    log: { error: (fields: object, text: string) => err(`tramita: ${text} ${JSON.stringify(fields)}\n`) },
  };
  const reader = { workflowId: 'command line', firstRunId: '', workflowType: '' };
  try {
    return await use(async (name, operation) => {
      const { apiUrl, apiKey, apiKeyEnv = 'its apiKeyEnv', auth = 'x-api-key' } = config.accounts[name] ?? {};
      if (apiUrl === undefined || apiKey === undefined) return bad('no address or no key is configured');
      const client = createServiceClient({ baseUrl: apiUrl, apiKey, auth });
      const account = { name, client };
      try {
        return readBody(
          await readFree(deps, { account, operation, params: {}, totalMs: WITHIN_MS, reader }),
          apiKeyEnv,
        );
      } finally {
        client.close();
      }
    });
  } finally {
    await db?.destroy();
  }
}

function readBody(answer: FreeAnswer, keyVariable: string): Parsed<unknown> {
  if (answer.kind === 'barred') return bad('this read was charged, and is not made again for 30 days');
  if (answer.kind === 'throttled') {
    return bad(`the service asked the account to wait until ${new Date(answer.untilMs).toISOString()}`);
  }
  const { exchange } = answer;
  if (exchange.kind === 'file') return bad('the service answered with a file');
  if (exchange.kind !== 'answer') return bad(exchange.reason);
  const { status } = exchange.head;
  if (status === 401 || status === 403) {
    return bad(`the service answered ${status}; check the API key of the account (${keyVariable})`);
  }
  if (status < 200 || status > 299) return bad(`the service answered ${status}`);
  return parseStrictJson(exchange.body);
}

function bad(problem: string): Parsed<never> {
  return { ok: false, problem };
}

function bookOf(config: Config, db: Database | undefined): ReadBook {
  const ledger: ReadBook | undefined = db && openLedger(db, { ...config, operations: [] });
  return {
    isBarred: async (...read) => (await ledger?.isBarred(...read).catch(() => false)) ?? false,
    holdOf: async (...call) => ledger?.holdOf(...call).catch(() => undefined),
    bookUnexpected: async (charge) => ledger?.bookUnexpected(charge),
    throttle: async (...wait) => ledger?.throttle(...wait).catch(() => undefined),
  };
}
