/** `POST /__control/events`: send, duplicate, reorder or forge an event at will, whatever events the account has enabled. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { formatCnj, parseCnj } from '../../src/contract/index.js';
import { courtOf } from '../cases/court.js';
import type { World } from '../world.js';
import { buildEventBody, COMPLETION_EVENT, type SandboxEvent } from './build-event.js';
import { signBody } from './sign-delivery.js';
import type { Delivery, RawDelivery } from './webhook-sender.js';

const content = {
  event: z.string().min(1).default(COMPLETION_EVENT),
  id: z.string().min(1).optional(),
  cnj: z.string().optional(),
  requestId: z.string().optional(),
  status: z.string().optional(),
  /** Merged into `data` (and the raw record) last. */
  data: z.record(z.string(), z.unknown()).optional(),
  /** The whole body as text, instead of everything above. */
  body: z.string().optional(),
};

export const eventCommandSchema = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('send'), ...content, retry: z.boolean().default(false) }),
  /** Sends the last event (or the named one) again, byte for byte, as new deliveries. */
  z.strictObject({
    action: z.literal('duplicate'),
    eventId: z.string().optional(),
    times: z.int().min(1).max(1_000).default(1),
  }),
  /** Holds the next `count` events of the service itself, then delivers them in reverse. */
  z.strictObject({ action: z.literal('reorder'), count: z.int().min(2).max(1_000).default(2) }),
  /** From now on delays events of the service by this much of the sandbox's clock; 0 ends that. */
  z.strictObject({ action: z.literal('late'), delayMs: z.int().min(0) }),
  /** Sends an event like a probe: about the all-zero number. */
  z.strictObject({ action: z.literal('probe') }),
  z.strictObject({
    action: z.literal('forge'),
    ...content,
    signature: z.enum(['none', 'wrong-secret', 'tampered-body', 'garbage', 'right']).default('wrong-secret'),
    token: z.enum(['none', 'wrong', 'right']).default('right'),
  }),
]);
const PROBE_CNJ = '0000000-00.0000.0.00.0000';
/** A command as the caller passes it; members with a default are optional. */
export type EventCommandInput = z.input<typeof eventCommandSchema>;
export type EventCommand = z.output<typeof eventCommandSchema>;
type Forgery = Extract<EventCommand, { action: 'forge' }>;
type Content = Extract<EventCommand, { action: 'send' }> | Forgery;

export async function runEventCommand(
  command: EventCommand,
  world: Pick<World, 'webhooks' | 'clock'>,
): Promise<{ readonly deliveries: readonly Delivery[] }> {
  const { webhooks } = world;
  switch (command.action) {
    case 'send':
      return deliverAll([{ ...buildDelivery(command, world), retry: command.retry }]);
    case 'forge': {
      const honest = buildDelivery(command, world);
      return deliverAll([{ ...honest, headers: forgeHeaders(command, honest.body, world) }]);
    }
    case 'duplicate': {
      const last = webhooks.lastSent(command.eventId);
      return deliverAll(
        last === undefined ? [] : Array.from({ length: command.times }, () => ({ ...last, retry: false })),
      );
    }
    case 'late':
      webhooks.delay(command.delayMs);
      return { deliveries: [] };
    case 'probe': {
      const probe = { action: 'send', event: 'nova_movimentacao', cnj: PROBE_CNJ, retry: false } as const;
      return deliverAll([buildDelivery(probe, world)]);
    }
    case 'reorder':
      webhooks.holdAndReverse(command.count);
      return { deliveries: [] };
  }

  async function deliverAll(raws: readonly RawDelivery[]): Promise<{ deliveries: Delivery[] }> {
    const deliveries: Delivery[] = [];
    for (const raw of raws) {
      const delivery = await webhooks.deliver(raw);
      if (delivery !== undefined) deliveries.push(delivery);
    }
    return { deliveries };
  }
}

function buildDelivery(command: Content, world: Pick<World, 'webhooks' | 'clock'>): RawDelivery {
  const event: SandboxEvent = {
    id: command.id ?? randomUUID(),
    event: command.event,
    createdAtMs: world.clock.nowMs(),
    ...buildContent(command),
  };
  const body =
    command.body === undefined
      ? buildEventBody(event, world.webhooks.config()?.format ?? 'NORMALIZED')
      : Buffer.from(command.body);
  return { eventId: event.id, event: event.event, body, retry: false };
}

function buildContent({ cnj, requestId, status, data }: Content): Pick<SandboxEvent, 'normalized' | 'raw'> {
  const parsed = parseCnj(cnj);
  const numero = parsed.ok ? formatCnj(parsed.cnj) : cnj;
  const given = (value: object): object =>
    Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
  const tribunal = parsed.ok ? courtOf(parsed.cnj) : undefined;
  return {
    normalized: { ...given({ numeroCnj: numero, tribunal, requestId, status }), ...data },
    raw: { atualizacao: given({ id: requestId, status, numero_cnj: numero }), ...data },
  };
}

/** undefined removes a header. */
function forgeHeaders(
  command: Forgery,
  body: Buffer,
  world: Pick<World, 'webhooks'>,
): Readonly<Record<string, string | undefined>> {
  const form = world.webhooks.config()?.secretForm ?? 'utf8';
  const secret = world.webhooks.config()?.secret ?? '';
  const signatures = {
    none: undefined,
    'wrong-secret': `sha256=${signBody(body, 'not the secret', 'utf8')}`,
    'tampered-body': `sha256=${signBody(Buffer.concat([body, Buffer.from(' ')]), secret, form)}`,
    garbage: 'sha256=not-a-signature',
  };
  return {
    ...(command.signature === 'right' ? {} : { 'X-Service-Signature': signatures[command.signature] }),
    ...(command.token === 'right'
      ? {}
      : { Authorization: command.token === 'none' ? undefined : 'Bearer not-the-token' }),
  };
}
