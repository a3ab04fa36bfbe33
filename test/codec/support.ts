/** A codec server on a free loopback port with one token, over the real access log, and payloads as a worker writes them. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { createCodecServer, hashToken, makeToken, type CodecServer } from '../../src/codec-server/index.js';
import type { CodecConfig, PayloadKeys } from '../../src/config/index.js';
import { parsePayloadKeys } from '../../src/config/payload-keys.js';
import { checkAccessLog, recordAccess } from '../../src/privacy/index.js';
import { migrate, type Database } from '../../src/store/index.js';
import { createPayloadCodec } from '../../src/temporal-client/index.js';
import { withDatabase } from '../support/database.js';

export const TOKEN = makeToken();
export const UI = 'http://127.0.0.1:8233';
export const TEXT = '"Maria das Dores"';

export interface Logged {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface CodecWorld {
  readonly db: Database;
  readonly keys: PayloadKeys;
  readonly log: Logged[];
  start(options?: Partial<Parameters<typeof createCodecServer>[0]>): Promise<CodecServer>;
  /** A payload as JSON of the protocol, encrypted for a flow of `namespace`. */
  sealed(namespace?: string, keys?: PayloadKeys): Promise<object>;
  accesses(): Promise<readonly object[]>;
}

export const keysOf = (...ids: readonly string[]): PayloadKeys => {
  const parsed = parsePayloadKeys(ids.map((id) => `${id}:${randomBytes(32).toString('base64')}`).join(','));
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
};

const tokensOf = (name = 'ana'): CodecConfig['tokens'] => [{ name, sha256: hashToken(TOKEN) }];

export function withCodecWorld(): CodecWorld {
  const database = withDatabase();
  const log: Logged[] = [];
  const servers: CodecServer[] = [];
  const write = (level: string) => (fields: object, message: string) => {
    log.push({ level, message, fields: { ...fields } });
  };
  let codecDb: Database | undefined;
  const keys = keysOf('k1', 'k0');
  beforeAll(async () => {
    await migrate(database.directUrl, { codecUrl: database.codecUrl });
    codecDb = database.connect({ url: database.codecUrl });
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
    await sql`delete from tramita.access_log`.execute(database.db);
    log.splice(0);
  });
  return {
    get db() {
      if (codecDb === undefined) throw new Error('use `db` inside tests only');
      return codecDb;
    },
    keys,
    log,
    async start(options = {}) {
      const db = codecDb ?? database.db;
      const server = await createCodecServer({
        listen: { host: '127.0.0.1', port: 0 },
        origins: [UI],
        namespaces: ['default'],
        tokens: tokensOf(),
        keys,
        encode: false,
        secureCookie: false,
        log: { info: write('info'), warn: write('warn'), error: write('error') },
        recordAccess: (access) => recordAccess(db, access),
        checkDatabase: () => checkAccessLog(db),
        ...options,
      });
      servers.push(server);
      return server;
    },
    async sealed(namespace = 'default', given = keys) {
      const codec = createPayloadCodec(given, { onUnreadable: 'throw' });
      const plain = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(TEXT) };
      const [payload] = await codec.encode([plain], { type: 'workflow', namespace, workflowId: 'flow/1' });
      return {
        metadata: Object.fromEntries(
          Object.entries(payload?.metadata ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]),
        ),
        data: Buffer.from(payload?.data ?? []).toString('base64'),
      };
    },
    async accesses() {
      const { rows } = await sql<object>`
        select by_whom, via, namespace, items from tramita.access_log order by seq`.execute(database.db);
      return rows;
    },
  };
}

/** Posts as the UI does; `undefined` removes a header. */
export async function ask(
  server: CodecServer,
  given: {
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string | undefined>>;
    readonly body?: unknown;
  } = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly json: Record<string, unknown> }> {
  const headers: Record<string, string | undefined> = {
    'content-type': 'application/json',
    'x-namespace': 'default',
    authorization: `Bearer ${TOKEN}`,
    ...given.headers,
  };
  const response = await fetch(`${server.url}${given.path ?? '/decode?preserveStorageRefs=true'}`, {
    method: 'POST',
    headers: Object.fromEntries(
      Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined),
    ),
    body: typeof given.body === 'string' ? given.body : JSON.stringify(given.body ?? { payloads: [] }),
  });
  return {
    status: response.status,
    headers: response.headers,
    json: (await response.json()) as Record<string, unknown>,
  };
}
