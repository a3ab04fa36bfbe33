/** An engine whose flow is in `flows/<file>.mjs`, written as in the engine's documents. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import type { SandboxOptions } from '../../sandbox/index.js';
import { createDatabase } from '../../soak/servers.js';
import { startService } from '../../soak/service.js';
import { freePort, type Shutdown } from '../../src/local/index.js';
import type { Contender, Tries } from './contender.js';
import { startProgram } from './program.js';
import type { EngineServers } from './servers.js';
import { FLOWS, WEBHOOK_SECRET } from './settings.js';

/** What a file in `flows` exports. */
interface EngineModule {
  /** One-time work of an installation: a bundle, queues. */
  readonly prepare?: (settings: object) => Promise<void>;
  readonly openClient: (settings: object) => Promise<EngineClient>;
}

interface EngineClient {
  start(cnj: string): Promise<void>;
  failed(): Promise<readonly string[]>;
  close(): Promise<void> | void;
}

export interface PlainEngine {
  readonly name: string;
  readonly file: string;
  /** The server besides PostgreSQL that holds its state. */
  readonly server?: 'temporal' | 'redis' | 'restate';
}

let databases = 0;

export async function openPlain(
  shutdown: Shutdown,
  servers: EngineServers,
  { engine, tries, sandbox }: { readonly engine: PlainEngine; readonly tries: Tries; readonly sandbox: SandboxOptions },
): Promise<Contender> {
  const { postgres, temporal, redis, restate } = servers;
  const service = await startService(engine.file, sandbox);
  shutdown.add({ name: `sandbox of ${engine.name}`, stop: () => service.sandbox.close() });
  const databaseName = `${engine.file.replace('-', '')}_${(databases += 1)}`;
  const databaseUrl = await createDatabase(postgres.address, databaseName);
  const results = new Client({ connectionString: databaseUrl });
  // The server may stop before this client.
  results.on('error', () => undefined);
  await results.connect();
  await results.query('create table refreshed (cnj text primary key, result jsonb not null)');
  const settings = {
    apiUrl: service.sandbox.url,
    databaseUrl,
    tries,
    secret: WEBHOOK_SECRET,
    temporalAddress: temporal.address,
    redisPort: redis?.address,
    restate: { ...restate?.address, servicePort: await freePort() },
    scratch: join(servers.folder, databaseName),
  };
  const program = (name: string): string[] => [join(FLOWS, name), engine.file, JSON.stringify(settings)];
  const { prepare, openClient } = (await import(pathToFileURL(join(FLOWS, `${engine.file}.mjs`)).href)) as EngineModule;
  await prepare?.(settings);
  const client = await openClient(settings);
  const receiver = await startProgram(program('receiver.mjs'));
  await service.control('/webhook', { url: `http://127.0.0.1:${receiver.details}/`, secret: WEBHOOK_SECRET });
  const server = engine.server === undefined ? undefined : servers[engine.server];
  const contender: Contender = {
    name: engine.name,
    service,
    databaseUrl,
    pids: { receiver: receiver.pid, servers: [postgres.pid, ...(server === undefined ? [] : [server.pid])] },
    startWorker: () => startProgram(program('worker.mjs')),
    start: (cnj) => client.start(cnj),
    done: async () => {
      const { rows } = await results.query<{ cnj: string }>('select cnj from refreshed /* the bench */');
      return new Set(rows.map(({ cnj }) => cnj));
    },
    failed: async () => new Map((await client.failed()).map((cnj) => [cnj, 'not said' as const])),
    asking: () => Promise.resolve(new Set()),
    close: async () => {
      await receiver.kill();
      await client.close();
      await results.end();
    },
  };
  shutdown.add({ name: engine.name, stop: () => contender.close().catch(() => undefined) });
  return contender;
}
