/** A network that says nothing ends a transaction after one limit: nobody waits a second time for its rollback. */
import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import { lookAndWrite, takeLocks, withLocks, type Database } from '../../src/store/index.js';
import { listen } from '../../soak/loopback.js';
import { withDatabase } from '../support/database.js';

const database = withDatabase();

const STATEMENT_MS = 1_000;
/** A silent network ends a statement two seconds later than the server would (connect.ts). */
const LIMIT_MS = STATEMENT_MS + 2_000;

let db: Database;
/** Passes on nothing more, and closes nothing. */
let fallSilent: () => void;
let closeProxy: () => void;

beforeEach(async () => {
  const sockets: Socket[] = [];
  const { hostname, port } = new URL(database.directUrl);
  const proxy = createServer((near) => {
    const far = connectTcp(Number(port), hostname);
    sockets.push(near, far);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far).pipe(near);
  });
  fallSilent = () => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  closeProxy = () => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  };
  const url = new URL(database.directUrl);
  url.host = await listen(proxy);
  db = database.connect({ url: url.href, statementTimeoutMs: STATEMENT_MS, max: 1 });
  await sql`select 1`.execute(db);
});

afterEach(() => closeProxy());

const locks = takeLocks(['any']);
const look = sql`select 1`;

test.each<[string, () => Promise<unknown>]>([
  ['the first message of lookAndWrite', () => (fallSilent(), lookAndWrite(db, { locks, look }, () => never()))],
  [
    'the second message of lookAndWrite',
    () => lookAndWrite(db, { locks, look }, () => (fallSilent(), { write: [look], then: () => undefined })),
  ],
  ['a transaction that begins with locks', () => withLocks(db, ['any'], (trx) => (fallSilent(), look.execute(trx)))],
  ['a transaction of Kysely', () => db.transaction().execute((trx) => (fallSilent(), look.execute(trx)))],
])('%s', async (_what, run) => {
  const startedMs = performance.now();
  await expect(run()).rejects.toThrow('Query read timeout');
  expect(performance.now() - startedMs).toBeLessThan(LIMIT_MS * 1.6);
});

function never(): never {
  throw new Error('nothing was read');
}
