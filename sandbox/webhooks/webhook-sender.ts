/**
 * Delivers events to the account's webhook as documented (interface "Delivery"): POST, 10 s, any 2xx is success;
 * otherwise again after min(120, 2^attempt) minutes of the sandbox's clock. Each send is a delivery with its own id;
 * retries keep body and id. Memory only: deliveries and the webhook's settings do not survive the process.
 */
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { present } from '../../src/contract/index.js';
import type { SandboxClock } from '../clock.js';
import type { Settings, WebhookConfig } from '../settings.js';
import { buildEventBody, type SandboxEvent } from './build-event.js';
import { resolveTarget } from './delivery-target.js';
import { buildDeliveryHeaders } from './sign-delivery.js';

/** Interface "Delivery". */
const TIMEOUT_MS = 10_000;
const MINUTE_MS = 60_000;
/** How many of the latest deliveries `duplicate` can name. */
const KEPT_TO_REPEAT = 1_000;

export interface Attempt {
  readonly at: string;
  /** Status of the answer; null when none came in time. */
  readonly status: number | null;
}

/** One delivery of a webhook, with its attempts. */
export interface Delivery {
  /** Id of this delivery. */
  readonly deliveryId: string;
  /** `id` of the event in the body. */
  readonly eventId: string;
  /** Name of the event. */
  readonly event: string;
  /** `not called`: the address is not loopback and its host is not mapped to loopback. */
  readonly state: 'held' | 'waiting' | 'delivered' | 'given up' | 'not called';
  /** Oldest first; none before the first try. */
  readonly attempts: readonly Attempt[];
}

export interface RawDelivery {
  readonly eventId: string;
  readonly event: string;
  readonly body: Buffer;
  /** Replaces the honest headers, for forgeries; undefined removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly retry: boolean;
  /** The resource's own `webhook_url`; absent: the account's. */
  readonly url?: string;
}

export interface WebhookSender {
  configure(config: WebhookConfig | undefined): void;
  config(): WebhookConfig | undefined;
  /**
   * Sends to the account's webhook, only when it is set, active and wants this event. With `url`, sends to that address
   * instead, signed with the account's secret and token if there are any. Resolves after the first attempt.
   */
  announce(event: SandboxEvent, url?: string): Promise<void>;
  /** Sends these bytes whatever events are enabled; undefined without a webhook. Resolves after the first attempt. */
  deliver(raw: RawDelivery): Promise<Delivery | undefined>;
  /** Holds the next `count` announcements, then sends them in reverse order. */
  holdAndReverse(count: number): void;
  /** Delays announcements by this much; 0 ends that. */
  delay(ms: number): void;
  list(): readonly Delivery[];
  /** The last event that was sent with honest headers (with this id, when given), to be sent again. */
  lastSent(eventId?: string): RawDelivery | undefined;
}

/** Minutes from the end of attempt 1, 2, … to the next one. Pure. */
function retryDelayMinutes(attempt: number): number {
  return Math.min(120, 2 ** attempt);
}

export function createWebhookSender(deps: {
  readonly settings: Pick<Settings, 'webhook' | 'webhookHostMap' | 'webhookMaxAttempts'>;
  readonly clock: SandboxClock;
  readonly ended: AbortSignal;
}): WebhookSender {
  const { settings, clock, ended } = deps;
  let config = settings.webhook;
  let lateMs = 0;
  let held: { count: number; waiting: RawDelivery[] } | undefined;
  const deliveries: Delivery[] = [];
  const sent: RawDelivery[] = [];

  const attempt = async (index: number, raw: RawDelivery): Promise<void> => {
    const delivery = deliveries[index];
    const wanted = raw.url ?? config?.url;
    const url = wanted === undefined ? undefined : resolveTarget(wanted, settings.webhookHostMap);
    if (delivery === undefined || ended.aborted) return;
    if (url === undefined) {
      deliveries[index] = { ...delivery, state: 'not called' };
      return;
    }
    const { deliveryId, event } = delivery;
    const nowMs = clock.nowMs();
    const honest = buildDeliveryHeaders({ event, deliveryId, nowMs, body: raw.body }, config ?? { secretForm: 'utf8' });
    const headers = Object.fromEntries(
      Object.entries({ ...honest, ...raw.headers }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      ),
    );
    const status = await postOnce({ url, headers, body: raw.body, timeoutMs: TIMEOUT_MS, ended });
    const attempts = [...delivery.attempts, { at: new Date(nowMs).toISOString(), status }];
    const delivered = status !== null && status >= 200 && status < 300;
    const again = !delivered && raw.retry && attempts.length < settings.webhookMaxAttempts;
    deliveries[index] = { ...delivery, attempts, state: delivered ? 'delivered' : again ? 'waiting' : 'given up' };
    if (!again) return;
    const dueMs = clock.nowMs() + retryDelayMinutes(attempts.length) * MINUTE_MS;
    clock.at(dueMs, () => attempt(index, raw));
  };

  const send = async (raw: RawDelivery): Promise<Delivery | undefined> => {
    const { eventId, event } = raw;
    if (raw.headers === undefined) sent.push(raw);
    if (sent.length > KEPT_TO_REPEAT) sent.shift();
    const index = deliveries.push({ deliveryId: randomUUID(), eventId, event, state: 'waiting', attempts: [] }) - 1;
    await attempt(index, raw);
    return deliveries[index];
  };

  return {
    configure(next) {
      config = next;
    },
    config: () => config,
    async announce(event, url) {
      if (url === undefined && (config?.active !== true || config.events?.includes(event.event) === false)) return;
      const body = buildEventBody(event, config?.format ?? 'NORMALIZED');
      const raw = { eventId: event.id, event: event.event, body, retry: true, ...present({ url }) };
      if (lateMs > 0) {
        clock.at(clock.nowMs() + lateMs, async () => {
          await send(raw);
        });
        return;
      }
      if (held === undefined) {
        await send(raw);
        return;
      }
      held.waiting.push(raw);
      if (held.waiting.length < held.count) return;
      const { waiting } = held;
      held = undefined;
      for (const late of waiting.reverse()) await send(late);
    },
    deliver: async (raw) => (config === undefined ? undefined : send(raw)),
    holdAndReverse(count) {
      held = { count, waiting: [] };
    },
    delay(ms) {
      lateMs = ms;
    },
    list: () => [
      ...deliveries,
      ...(held?.waiting ?? []).map(({ eventId, event }): Delivery => ({
        deliveryId: '',
        eventId,
        event,
        state: 'held',
        attempts: [],
      })),
    ],
    lastSent: (eventId) => sent.filter((raw) => eventId === undefined || raw.eventId === eventId).at(-1),
  };
}

interface PostInput {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly timeoutMs: number;
  readonly ended: AbortSignal;
}

/** One delivery attempt: one POST on a new connection. Its status, or null when no answer comes within the time limit. Never throws. */
function postOnce({ url, headers, body, timeoutMs, ended }: PostInput): Promise<number | null> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    const request = send(url, {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'Content-Length': String(body.length) },
      signal: AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)]),
    });
    request.on('error', () => resolve(null));
    request.on('response', (response) => {
      response.on('error', () => undefined).resume();
      resolve(response.statusCode ?? null);
    });
    request.end(body);
  });
}
