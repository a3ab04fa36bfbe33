/** The outcome of a row that has its answer already: of this step, of `once`, of `maxAge`, or of the call that was joined. */
import type { Parameters } from '../contract/index.js';
import { parseStrictJson } from '../http/index.js';
import type { Intent } from '../ledger/index.js';
import type { CallOutcome } from '../protocol/index.js';
import type { ActivityDeps } from './deps.js';
import { NO_PLAN, outcomeOfIntent } from './outcome-of-intent.js';
import { readingOf } from './readings.js';

export interface WantedPlan {
  readonly params: Parameters;
  /** How long to wait for a webhook; 0 and `webhookWanted: false` where the flow polls anyway. */
  readonly patienceMs: number;
  readonly webhookWanted: boolean;
  readonly eventSeen: boolean;
}

/** For what is polled or looked up: no webhook is waited for. */
export function withoutWebhook(params: Parameters): WantedPlan {
  return { params, patienceMs: 0, webhookWanted: false, eventSeen: false };
}

export async function storedOutcome(deps: ActivityDeps, intent: Intent, wanted: WantedPlan): Promise<CallOutcome> {
  const source = intent.joined === null ? intent : ((await deps.ledger.find(intent.joined)) ?? intent);
  const answer =
    intent.state === 'done' && intent.finalState === null ? await deps.ledger.answerOf(intent.intentId) : undefined;
  return outcomeOfIntent(intent, {
    source,
    reading: answer === undefined ? undefined : readingOf(intent.operation, parseStored(answer.bytes), wanted.params),
    plan: {
      ...NO_PLAN,
      webhookExpected: source.webhookExpected && wanted.webhookWanted,
      patienceMs: wanted.patienceMs,
      eventSeen: wanted.eventSeen,
    },
  });
}

/** Read as strictly as when it was judged (long numbers stay text); anything else reads as nothing. */
export function parseStored(bytes: Buffer): unknown {
  const parsed = parseStrictJson(bytes);
  return parsed.ok ? parsed.value : undefined;
}
