/**
 * One delivery → one answer, without transport. Order: size, media, authenticity, only then decoding and parsing; a 2xx
 * only after the inbox has committed. Whatever is authentic and unreadable is accepted and kept (a 5xx would start a retry
 * storm); whatever could not be stored within 8 s is a 503, and the sender comes again.
 */
import { present } from '../contract/index.js';
import { createHash } from 'node:crypto';
import { keysOfEvent, type IncomingEvent, type Recorded } from '../inbox/index.js';
import { publicEventId, publicEventName, within } from '../wakes/index.js';
import { buildAccepted, buildRefused } from './answers.js';
import type { Metrics } from './metrics.js';
import { deliveryIdOf, mediaProblem, skewSecondsOf } from './raw-headers.js';
import { readDeliveryBody } from './read-body.js';
import type { BridgeOptions, Delivery, Handled } from './types.js';
import { verifyDelivery } from './verify.js';

/** Deliveries seen stay far below. */
export const MAX_BODY_BYTES = 1_048_576;
/** The sender gives up after 10 s (interface "Delivery"); the answer must be there before. */
const ANSWER_WITHIN_MS = 8_000;
/** Even a body that came slowly gets a moment to be stored. */
const MIN_STORE_MS = 1_000;

type HandlerDependencies = Pick<
  BridgeOptions,
  'accounts' | 'insecure' | 'inbox' | 'log' | 'clock' | 'answerWithinMs'
> & {
  readonly metrics: Metrics;
};

export type Handle = (delivery: Delivery) => Promise<Handled>;

/** The returned function never rejects. */
export function createHandler(deps: HandlerDependencies): Handle {
  const { log, metrics } = deps;

  const refuse = (status: number, reason: string): Handled => {
    metrics.count('refused', { reason });
    return { answer: buildRefused(status) };
  };

  return async (delivery) => {
    const { body, rawHeaders } = delivery;
    if (body.length > MAX_BODY_BYTES) return refuse(413, 'too-large');
    const media = mediaProblem(rawHeaders);
    if (media !== undefined) return refuse(415, media);
    const account = Object.hasOwn(deps.accounts, delivery.account) ? deps.accounts[delivery.account] : undefined;
    // Not a 404: a stranger does not learn which accounts there are.
    if (account === undefined) return refuse(401, 'unknown-account');
    const verdict = verifyDelivery({ rawHeaders, body, account, insecure: deps.insecure ?? false });
    if (!verdict.ok) return refuse(401, verdict.reason);
    const skew = skewSecondsOf(rawHeaders, delivery.receivedAtMs);
    if (skew !== undefined) metrics.setSkew(skew);

    const { incoming, parked, probe } = buildIncoming(delivery);
    const { eventId } = incoming;
    const event = publicEventName(incoming.event);
    const payload = { eventId: publicEventId(eventId), ...(incoming.event === '' ? {} : { event }) };
    const facts = { account: delivery.account, ...payload, sha256: incoming.bodySha256 };
    if (probe) {
      metrics.count('probe', { account: delivery.account });
      log.info(facts, 'webhook probe ignored');
      return { answer: buildAccepted({ eventId, duplicate: false }) };
    }
    const recorded = await recordWithin(deps, incoming, delivery.receivedAtMs);
    if (recorded === 'slow' || recorded === 'failed') {
      log.error(facts, `webhook not stored: database ${recorded}`);
      return refuse(503, `database-${recorded}`);
    }
    countRecorded(metrics, delivery.account, recorded, parked);
    const { duplicate, wakes } = recorded;
    if (recorded.conflict) log.warn(facts, 'webhook id known with another body; stored as an event of its own');
    else if (parked) log.warn(facts, 'webhook authentic but unreadable; kept for a look');
    else log.info({ ...facts, duplicate, waiting: wakes.length }, 'webhook accepted');
    return { answer: buildAccepted({ eventId, duplicate }), owed: { wakes, payload } };
  };
}

/** Identity and keys come from the signed body only; the delivery header is kept for the record and decides nothing. */
function buildIncoming(delivery: Delivery): {
  readonly incoming: IncomingEvent;
  readonly parked: boolean;
  readonly probe: boolean;
} {
  const { account, body } = delivery;
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  const read = readDeliveryBody(body);
  const deliveryId = deliveryIdOf(delivery.rawHeaders);
  const incoming: IncomingEvent = {
    account,
    eventId: read?.eventId ?? bodySha256,
    event: storable(read?.event ?? ''),
    bodySha256,
    body,
    keys: read === undefined ? [] : keysOfEvent(read),
    ...(read?.createdAt === undefined ? {} : { createdAt: storable(read.createdAt) }),
    ...present({ deliveryId }),
  };
  return { incoming, parked: read === undefined, probe: read?.probe === true && incoming.keys.length === 0 };
}

/** JSON may hold a zero character and a text column may not: it must not turn what is authentic into a 503 forever. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/** A record that ends after its time is no loss: it is committed, and the relay wakes who waits for it. */
function recordWithin(
  deps: HandlerDependencies,
  incoming: IncomingEvent,
  receivedAtMs: number,
): Promise<Recorded | 'slow' | 'failed'> {
  const whole = deps.answerWithinMs ?? ANSWER_WITHIN_MS;
  const left = receivedAtMs + whole - deps.clock();
  const patienceMs = Math.min(whole, Math.max(MIN_STORE_MS, left));
  const stored = Promise.resolve()
    .then(() => deps.inbox.record(incoming))
    .catch(() => 'failed' as const);
  return within(patienceMs, stored, 'slow' as const);
}

function countRecorded(metrics: Metrics, account: string, recorded: Recorded, parked: boolean): void {
  metrics.count(recorded.duplicate ? 'duplicate' : 'accepted', { account });
  if (recorded.conflict) metrics.count('conflict', { account });
  if (parked && !recorded.duplicate) metrics.count('parked', { account });
}
