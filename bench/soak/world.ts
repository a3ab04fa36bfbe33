/**
 * Everything that a soak runs on: servers, sandboxes in this process (one per account), worker processes, a client, the flows
 * and the person who decides about them. Each account has a sandbox of its own, so that each has a charge book of its own.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { loadTemporalConnection, resolveConfig } from '../../src/config/index.js';
import { OPERATIONS, type Gaps, type OperationId } from '../../src/contract/index.js';
import { connect, type Database } from '../../src/store/index.js';
import { connectClient } from '../../src/temporal-client/index.js';
import { CHARGED, SOAK_FILTERS } from './arguments.js';
import { createFlowBook, type FlowBook } from './flows.js';
import { startPerson, type Person } from './person.js';
import { createWorkerProcesses } from './programs.js';
import { startService, type Service } from './service.js';
import { createStock, type Stock } from './stock.js';

export interface WorldOptions {
  readonly temporalAddress: string;
  readonly databaseUrl: string;
  readonly seed: number;
  /** One line about what happens. */
  readonly say: (line: string) => void;
}

export interface World {
  readonly client: Client;
  readonly db: Database;
  readonly gaps: Gaps;
  /** Answers at once (`default`), or later (`pending`). */
  readonly services: Readonly<Record<'default' | 'pending', Service>>;
  readonly operations: readonly OperationId[];
  readonly stock: Stock;
  readonly flows: FlowBook;
  readonly say: (line: string) => void;
  /** Resolves when it polls. */
  startWorker(name: string): Promise<void>;
  /** Nobody decides while this is not running. */
  startPerson(): Person;
  close(): Promise<void>;
}

const ALL_AT_ONCE = { apiKeyEnv: 'TRAMITA_API_KEY', outageAfter: 0, requestsPerMinute: 100_000, concurrency: 60 };

export async function createWorld({ temporalAddress, databaseUrl, seed, say }: WorldOptions): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'tramita-soak-world-'));
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const closeLater = <T extends { close(): Promise<unknown> }>(part: T): T => {
    closers.push(() => part.close());
    return part;
  };
  const options = { seed: `soak ${seed}` };
  const services = {
    default: closeLater(await startService('default', options)),
    pending: closeLater(await startService('pending', { ...options, dialect: { pending: Object.keys(CHARGED) } })),
  };

  const certificate = join(folder, 'sandbox.pem');
  writeFileSync(certificate, (await services.default.control<{ certificate: string }>('/tls')).certificate);
  const configFile = join(folder, 'config.json');
  const accounts = {
    default: ALL_AT_ONCE,
    pending: { ...ALL_AT_ONCE, apiUrl: services.pending.sandbox.url },
    tls: { ...ALL_AT_ONCE, apiUrl: services.default.sandbox.tlsUrl },
  };
  writeFileSync(configFile, JSON.stringify({ accounts, gaps: { filters: SOAK_FILTERS } }));
  const filesDir = join(folder, 'files');
  mkdirSync(filesDir);
  const taskQueue = `soak-${randomBytes(4).toString('hex')}`;
  const env = {
    TEMPORAL_ADDRESS: temporalAddress,
    TRAMITA_API_URL: services.default.sandbox.url,
    TRAMITA_API_KEY: 'sandbox-key',
    TRAMITA_DATABASE_URL: databaseUrl,
    TRAMITA_TASK_QUEUE: taskQueue,
    TRAMITA_ID_KEY: 'id-key-of-the-soak-0123456789abcdef',
    TRAMITA_FILES_DIR: filesDir,
    TRAMITA_DOWNLOAD_HOSTS: services.default.sandbox.documentsUrl,
    TRAMITA_CONFIG: configFile,
    NODE_EXTRA_CA_CERTS: certificate,
  };
  const { gaps } = resolveConfig({ env });
  const connection = connectClient(loadTemporalConnection({ TEMPORAL_ADDRESS: temporalAddress }));
  closers.push(() => connection.close());
  const client = new Client({ connection });
  const db = connect({ url: databaseUrl, applicationName: 'tramita soak', max: 8 });
  closers.push(() => db.destroy());
  const workers = createWorkerProcesses(folder);
  closers.push(() => workers.killAll());
  const flows = createFlowBook({ client, taskQueue });

  return {
    ...{ client, db, gaps, services, flows, say },
    operations: OPERATIONS.map(({ id }) => id).filter((id) => CHARGED[id] !== undefined),
    stock: createStock(gaps),
    startWorker: (name) => workers.start(name, env),
    startPerson: () => startPerson({ client, db, flows }),
    close: async () => {
      for (const close of closers.reverse()) await close().catch(() => undefined);
    },
  };
}
