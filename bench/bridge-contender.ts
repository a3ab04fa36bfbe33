/**
 * One side of the bench per process, so that neither pays for the other or for the load: the real bridge, or the baseline
 * that it is compared with: a bare Fastify route that verifies the HMAC and does the same one-row insert. Started by
 * `fork`; reports its port, answers any message with its resource usage so far, and ends with its parent.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import Fastify from 'fastify';
import { Pool } from 'pg';
import { createBridge } from '../src/bridge/index.js';
import { createInbox } from '../src/inbox/index.js';
import { connect } from '../src/store/index.js';
import { BENCH_SECRET } from './bridge-deliveries.js';

export type Side = 'bridge' | 'bare';

const CONNECTIONS = 10;
const MAX_BODY_BYTES = 1_048_576;
const INSERT = {
  name: 'bench-insert',
  text: `insert into tramita.event (account, event_key, event_id, event, body, body_sha256, conflict, keys, created_at,
    delivery_id, received_at) values ('default', $1, $1, $2, $3, $4, false, $5, $6, $7, $8)
    on conflict (account, event_key) do nothing`,
} as const;

async function startBridge(url: string): Promise<number> {
  const bridge = await createBridge({
    listen: { host: '127.0.0.1', port: 0 },
    opsListen: { host: '127.0.0.1', port: 0 },
    accounts: { default: { secrets: [BENCH_SECRET], secretForm: 'utf8', tokens: [] } },
    inbox: createInbox({ db: connect({ url, applicationName: 'bench bridge', max: CONNECTIONS }), clock: Date.now }),
    signalWake: () => Promise.reject(new Error('bench: no flow waits here')),
    log: { info: nothing, warn: nothing, error: nothing },
    clock: Date.now,
  });
  return Number(new URL(bridge.url).port);
}

async function startBare(url: string): Promise<number> {
  const pool = new Pool({ connectionString: url, max: CONNECTIONS });
  const app = Fastify({ logger: false, bodyLimit: MAX_BODY_BYTES });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  app.post('/webhooks', async (request, reply) => {
    const body = request.body as Buffer;
    const given = Buffer.from(String(request.headers['x-service-signature']).slice('sha256='.length), 'hex');
    const expected = createHmac('sha256', BENCH_SECRET).update(body).digest();
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      return reply.code(401).send({ accepted: false });
    }
    const event = JSON.parse(body.toString()) as Record<string, string> & {
      readonly data: { readonly numeroCnj: string };
    };
    const values = [
      event['id'],
      event['event'],
      body,
      createHash('sha256').update(body).digest('hex'),
      [`cnj:${event.data.numeroCnj}`],
      event['created_at'],
      request.headers['x-service-delivery-id'],
      new Date(),
    ];
    const { rowCount } = await pool.query({ ...INSERT, values });
    return reply.code(202).send({ accepted: true, eventId: event['id'], duplicate: rowCount === 0 });
  });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  return Number(new URL(address).port);
}

function nothing(): void {
  // No logging during a measurement, on either side.
}

function tell(message: object): void {
  process.send?.(message);
}

async function main(): Promise<void> {
  const [, , side, url = ''] = process.argv;
  const port = await (side === 'bare' ? startBare(url) : startBridge(url));
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    tell({ cpuUs: user + system, rssBytes: process.memoryUsage.rss() });
  });
  process.on('disconnect', () => process.exit(0));
  tell({ port });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
