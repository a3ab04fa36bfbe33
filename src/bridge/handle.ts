/**
 * One delivery → one answer, without transport. The head (media type, account, token, form of the signature) is checked before
 * a byte of the body is read, then the signature; only then the body is decoded and parsed. A 2xx is sent only after the inbox
 * has committed. An authentic but unreadable delivery is accepted and kept, because a 5xx would start a retry storm. One that
 * cannot be stored within 8 s gets a 503, and the sender retries. Why in this order: docs/decisions/0040.
 */
import { UFS, holdsCpfOrCnpj, present } from '../contract/index.js';
import { createHash } from 'node:crypto';
import { keysOfEvent, publicEventId, publicEventName, type IncomingEvent, type Recorded } from '../inbox/index.js';
import type { SpanFacts } from '../traces/index.js';
import { within } from '../wakes/index.js';
import { buildAccepted, buildRefused } from './answers.js';
import { levelAccounts } from './level-accounts.js';
import type { Metrics, Refusal } from './metrics.js';
import { deliveryIdOf, mediaProblem, skewSecondsOf } from './raw-headers.js';
import { readDeliveryBody } from './read-body.js';
import type { Answer, BridgeOptions, Delivery, DeliveryHead, Handled } from './types.js';
import { headRefusal, signatureRefusal } from './verify.js';

/** Observed deliveries are far smaller. */
export const MAX_BODY_BYTES = 1_048_576;
/** The sender gives up after 10 s (interface "Delivery"); the answer must be there before. */
const ANSWER_WITHIN_MS = 8_000;
/** Even a body that arrived slowly gets this much time to be stored. */
const MIN_STORE_MS = 1_000;

type HandlerDependencies = Pick<
  BridgeOptions,
  'accounts' | 'insecure' | 'inbox' | 'log' | 'clock' | 'answerWithinMs' | 'beginRequest'
> & {
  readonly metrics: Metrics;
};

/** An accepted head, and the function that handles its body. */
export interface Admitted {
  readonly kind: 'admitted';
  /** Never rejects. */
  readonly take: (body: Buffer) => Promise<Handled>;
}

export type Admission = Admitted | { readonly kind: 'refused'; readonly answer: Answer };

/** Judges a head, before its body has arrived. */
export type Admit = (head: DeliveryHead) => Admission;

export function createAdmit(deps: HandlerDependencies): Admit {
  const { log, metrics, insecure = false } = deps;
  const findAccount = levelAccounts(deps.accounts);

  const refuse = (status: number, reason: Refusal): Handled & { readonly kind: 'refused' } => {
    metrics.count('refused', { reason });
    return { kind: 'refused', answer: buildRefused(status) };
  };

  return (head) => {
    const { rawHeaders } = head;
    const media = mediaProblem(rawHeaders);
    if (media !== undefined) return refuse(415, media);
    // No 404 and no early return: a stranger must not learn which accounts exist.
    const { account, isKnown } = findAccount(head.account);
    const reason = headRefusal({ rawHeaders, account, insecure });
    if (reason !== undefined) return refuse(401, isKnown ? reason : 'unknown-account');
    return {
      kind: 'admitted',
      take: async (body) => {
        if (body.length > MAX_BODY_BYTES) return refuse(413, 'too-large');
        const mismatch = signatureRefusal(rawHeaders, body, account);
        if (!isKnown) return refuse(401, 'unknown-account');
        if (mismatch !== undefined) return refuse(401, mismatch);
        return take({ ...head, body });
      },
    };
  };

  async function take(delivery: Delivery): Promise<Handled> {
    const { account, rawHeaders, receivedAtMs } = delivery;
    const skew = skewSecondsOf(rawHeaders, receivedAtMs);
    if (skew !== undefined) metrics.setSkew(skew);

    const { incoming, parked, probe } = buildIncoming(delivery);
    const { eventId } = incoming;
    const event = publicEventName(incoming.event);
    const payload = { eventId: publicEventId(eventId), ...(incoming.event === '' ? {} : { event }) };
    const named = { account, ...payload, sha256: incoming.bodySha256 };
    if (probe) {
      metrics.count('probe', { account });
      log.info(named, 'webhook probe ignored');
      return { answer: buildAccepted({ eventId, duplicate: false }) };
    }

    const span = deps.beginRequest?.('webhook', receivedAtMs);
    const facts = { ...named, ...present({ traceId: span?.traceId }) };
    const spanFacts = (outcome: string): SpanFacts => ({
      'tramita.account': account,
      'tramita.event': payload.event,
      'tramita.event_id': payload.eventId,
      'tramita.outcome': outcome,
    });
    const stored = Promise.resolve()
      .then(() => deps.inbox.record(incoming))
      .catch(() => 'failed' as const);
    const recorded = await within(storeWithinMs(deps, receivedAtMs), stored, 'slow' as const);
    if (recorded === 'slow' || recorded === 'failed') {
      log.error(facts, `webhook not stored: database ${recorded}`);
      span?.end(spanFacts('not-stored'), `database-${recorded}`);
      return { ...refuse(503, `database-${recorded}`), storing: stored };
    }

    countRecorded(metrics, account, recorded, parked);
    const { conflict, duplicate, wakes } = recorded;
    if (conflict) log.warn(facts, 'webhook id known with another body; stored as a separate event');
    else if (parked) log.warn(facts, 'webhook authentic but unreadable; kept for inspection');
    else log.info({ ...facts, duplicate, waiting: wakes.length }, 'webhook accepted');
    span?.note(spanFacts(duplicate ? 'duplicate' : 'accepted'));
    return { answer: buildAccepted({ eventId, duplicate }), owed: { wakes, payload }, ...present({ span }) };
  }
}

/** Id and keys come from the signed body only. The id in the delivery header is unsigned: it is recorded and decides nothing. */
function buildIncoming(delivery: Delivery): {
  readonly incoming: IncomingEvent;
  readonly parked: boolean;
  readonly probe: boolean;
} {
  const { account, body } = delivery;
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  const read = readDeliveryBody(body);
  const deliveryId = idToKeep(deliveryIdOf(delivery.rawHeaders));
  const incoming: IncomingEvent = {
    account,
    eventId: idToKeep(read?.eventId) ?? bodySha256,
    event: storable(read?.event ?? ''),
    bodySha256,
    body,
    keys: read === undefined ? [] : keysOfEvent(read),
    ...(read?.createdAt === undefined ? {} : { createdAt: storable(read.createdAt) }),
    ...present({ deliveryId }),
  };
  return { incoming, parked: read === undefined, probe: read?.probe === true && incoming.keys.length === 0 };
}

/** An id is kept years longer than its body, so one that contains a personal number is not kept. */
function idToKeep(id: string | undefined): string | undefined {
  return id === undefined || holdsCpfOrCnpj(id) || LAWYER_NUMBER.test(id) ? undefined : id;
}

const LAWYER_NUMBER = new RegExp(String.raw`(?<![A-Za-z])(?:${UFS.join('|')})[:/]\d{3,7}(?!\d)`, 'i');

/** JSON may contain a NUL character, a text column may not: an authentic delivery must not fail with 503 forever because of it. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/** How long to wait for the inbox. A later commit is no loss: the relay wakes the flows that wait for the event. */
function storeWithinMs(deps: HandlerDependencies, receivedAtMs: number): number {
  const limitMs = deps.answerWithinMs ?? ANSWER_WITHIN_MS;
  return Math.min(limitMs, Math.max(MIN_STORE_MS, receivedAtMs + limitMs - deps.clock()));
}

function countRecorded(metrics: Metrics, account: string, recorded: Recorded, parked: boolean): void {
  metrics.count(recorded.duplicate ? 'duplicate' : 'accepted', { account });
  if (recorded.conflict) metrics.count('conflict', { account });
  if (parked && !recorded.duplicate) metrics.count('parked', { account });
}
