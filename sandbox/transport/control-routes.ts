/**
 * The control interface under `/__control`: what a person or a test may inspect and change. No key, loopback only. Both
 * origins serve it, so that it stays reachable while F0 closes the first one. Its calls cost nothing and are not
 * logged.
 */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { formatAmount } from '../../src/contract/index.js';
import { faultSchema } from '../faults/fault-types.js';
import { API_KEYS, hashKey } from '../keys.js';
import { newMonitor } from '../operations/monitor-records.js';
import { plantSchema } from '../planted.js';
import { describeIssues, dialectSchema, webhookSchema, type Settings } from '../settings.js';
import { resolveTarget } from '../webhooks/delivery-target.js';
import { eventCommandSchema, runEventCommand } from '../webhooks/event-commands.js';
import type { World } from '../world.js';
import { bodyBytes } from './server.js';

export const CONTROL_PREFIX = '/__control';
/** So that a refusal shows what was seen. */
const REPORT_INPUT = { reportInput: true };

export interface ControlDeps {
  readonly world: () => World;
  readonly refuseConnectionsFor: (ms: number) => void;
  readonly reset: (changes: Pick<Settings, 'seed' | 'dialect' | 'corpus'>) => void;
  /** PEM of the TLS listener. */
  readonly certificate: string;
}

const clockSchema = z.strictObject({
  advanceMs: z
    .int()
    .min(0)
    .max(366 * 86_400_000),
});
/** Creates an administrative-process monitor as the dashboard does: the interface shows no path for that. */
const monitorSchema = z.strictObject({ nup: z.string().min(10).max(30), webhookUrl: z.url().optional() });
const resetSchema = z.strictObject({
  seed: z.string().min(1).optional(),
  dialect: dialectSchema.optional(),
  corpus: z.enum(['tiny', 'firm', 'mass']).optional(),
});

const LOOPBACK_NAMES = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** Checks the host name in the request. HTTP/1.0 need not send one. */
function isThisMachine(host: string | undefined): boolean {
  return host === undefined || LOOPBACK_NAMES.test(host);
}

export function addControlRoutes(server: FastifyInstance, deps: ControlDeps): void {
  const { world } = deps;
  // A page of any origin may send a browser here under a host name of its own that resolves to this machine (DNS
  // rebinding).
  server.addHook('onRequest', async (request, reply) => {
    const isControl = request.routeOptions.url?.startsWith(CONTROL_PREFIX) === true;
    if (!isControl || isThisMachine(request.headers.host)) return;
    await reply
      .code(403)
      .send(problem('FOREIGN_HOST', 'the control interface answers to 127.0.0.1 and localhost only'));
  });
  const get = (path: string, respond: (query: Readonly<Record<string, unknown>>) => unknown): void => {
    server.get(CONTROL_PREFIX + path, (request, reply) =>
      reply.send(respond(request.query as Readonly<Record<string, unknown>>)),
    );
  };
  const post = <T>(path: string, schema: z.ZodType<T>, respond: (input: T, reply: FastifyReply) => unknown): void => {
    server.post(CONTROL_PREFIX + path, async (request, reply) => {
      const parsed = schema.safeParse(readJson(bodyBytes(request.body)), REPORT_INPUT);
      if (!parsed.success) return reply.code(400).send(problem('INVALID_COMMAND', describeIssues(parsed.error)));
      const answer: unknown = await respond(parsed.data, reply);
      return reply.sent ? reply : reply.send(answer);
    });
  };

  get('/charges', ({ operation, after = '0' }) => {
    const { book } = world();
    const balances = { sandbox: formatAmount(book.balance('sandbox')), empty: formatAmount(book.balance('empty')) };
    const charges = book
      .list()
      .filter((charge) => charge.n > Number(after) && (operation === undefined || charge.operation === operation));
    return { scale: 10_000, balances, count: book.count(), total: formatAmount(book.total()), charges };
  });
  get('/charges/summary', () => {
    const { book, requests } = world();
    return { count: book.count(), total: formatAmount(book.total()), requests: requests.count() };
  });
  get('/requests', () => ({ count: world().requests.count(), requests: world().requests.list() }));
  get('/faults', () => ({ faults: world().faults.list() }));
  get('/monitors', () => ({ monitors: world().monitors.all() }));
  get('/memory', () => process.memoryUsage());
  get('/tls', () => ({ certificate: deps.certificate }));
  get('/events', () => ({ deliveries: world().webhooks.list() }));
  get('/clock', () => ({ now: new Date(world().clock.nowMs()).toISOString() }));

  post('/faults', z.looseObject({ fault: z.string() }), (input, reply) => {
    const parsed = faultSchema.safeParse(input, REPORT_INPUT);
    if (!parsed.success) return reply.code(400).send(problem('INVALID_COMMAND', describeIssues(parsed.error)));
    if (parsed.data.fault !== 'F0') return world().faults.arm(parsed.data);
    deps.refuseConnectionsFor(parsed.data.ms);
    return reply.header('connection', 'close').send(world().faults.noteRefusal());
  });
  post('/plant', plantSchema, (planting) => {
    world().planted.set(planting);
    return { planted: planting.members.length };
  });
  post('/clock', clockSchema, async ({ advanceMs }) => {
    await world().clock.advance(advanceMs);
    return { now: new Date(world().clock.nowMs()).toISOString() };
  });
  post('/webhook', webhookSchema.nullable(), (config, reply) => {
    if (config !== null && resolveTarget(config.url, world().settings.webhookHostMap) === undefined) {
      const message = 'url must be a loopback address, or https with a host of webhookHostMap';
      return reply.code(422).send(problem('INVALID_WEBHOOK_URL', message));
    }
    world().webhooks.configure(config ?? undefined);
    return { configured: config !== null, active: config?.active ?? false };
  });
  post('/events', eventCommandSchema, async (command, reply) => {
    if (world().webhooks.config() === undefined) {
      return reply.code(409).send(problem('NO_WEBHOOK', 'set one with POST /__control/webhook first'));
    }
    return runEventCommand(command, world());
  });
  post('/monitors', monitorSchema, ({ nup, webhookUrl }) => {
    const { settings, clock } = world();
    const call = { account: 'sandbox', keyHash: hashKey(API_KEYS.works) } as const;
    const what = {
      of: 'administrative',
      subject: nup,
      definition: {},
      price: settings.prices.administrativeMonitor,
    } as const;
    const view = { newId: randomUUID, nowMs: clock.nowMs() };
    const monitor = newMonitor({ ...what, webhookUrl: webhookUrl ?? null }, call, view);
    world().apply([{ kind: 'monitor', monitor }]);
    return monitor;
  });
  post('/reset', resetSchema, ({ seed, dialect, corpus }) => {
    const { settings } = world();
    deps.reset({
      seed: seed ?? settings.seed,
      dialect: dialect ?? settings.dialect,
      corpus: corpus ?? settings.corpus,
    });
    const after = world().settings;
    return { seed: after.seed, dialect: after.dialect, corpus: after.corpus };
  });
}

function problem(code: string, message: string): object {
  return { error: { code, message: `tramita: ${message}` } };
}

/** An empty body is an empty command; a body that is not JSON fails every schema. */
function readJson(body: Buffer): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
