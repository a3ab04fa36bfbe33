/** The outcome of a row that already has its answer: of this step, by `once`, by `maxAge`, or of a joined call. */
import { present } from '../../contract/index.js';
import { isAnswerDropped, type Intent } from '../../ledger/index.js';
import type { CallOutcome, CallSubject, Reading } from '../../protocol/index.js';
import type { LedgerDeps, ServiceDeps } from '../deps.js';
import { NO_PLAN, outcomeOfIntent, pollQueueOf, tellsItsEnd } from './outcome-of-intent.js';
import { readingOf } from '../readings/index.js';
import { readStored } from '../readings/read-stored.js';
import { isOwed, rememberedFile } from './stored-file.js';

export type OutcomeDeps = Pick<ServiceDeps, 'accounts' | 'catalogue' | 'files' | 'gaps'> &
  Pick<LedgerDeps, 'ledger' | 'pollQueueOf'>;

/** The part of a call that is needed to read its answer. */
export type Asked = Pick<CallSubject, 'account' | 'params' | 'target' | 'view'>;

export interface WantedPlan {
  readonly asked: Asked;
  /** How long to wait for a webhook; 0 and `webhookWanted: false` if the flow polls anyway. */
  readonly patienceMs: number;
  readonly webhookWanted: boolean;
  readonly eventSeen: boolean;
}

/** For polls and look-ups, which wait for no webhook. */
export function withoutWebhook(asked: Asked): WantedPlan {
  return { asked, patienceMs: 0, webhookWanted: false, eventSeen: false };
}

export async function storedOutcome(deps: OutcomeDeps, intent: Intent, wanted: WantedPlan): Promise<CallOutcome> {
  const source = intent.joined === null ? intent : ((await deps.ledger.find(intent.joined)) ?? intent);
  return outcomeOfIntent(intent, {
    source,
    reading:
      intent.state === 'done' && (!tellsItsEnd(intent) || wanted.asked.view === 'body')
        ? await storedReading(deps, source, wanted.asked)
        : undefined,
    plan: {
      ...NO_PLAN,
      webhookExpected: source.webhookExpected && wanted.webhookWanted,
      patienceMs: wanted.patienceMs,
      eventSeen: wanted.eventSeen,
      ...pollQueueOf(deps, intent.account),
    },
  });
}

async function storedReading(deps: OutcomeDeps, source: Intent, asked: Asked): Promise<Reading | undefined> {
  // What is left of a dropped answer, like the 202 before a file, is not the answer.
  if (isAnswerDropped(source)) return undefined;
  const { account, params, target, view } = asked;
  const { operation, intentId } = source;
  const call = { params, baseUrl: deps.accounts.get(account)?.baseUrl ?? '', ...present({ target }) };
  const file = rememberedFile(source);
  if (file === undefined) return readStored(deps, view, { ...call, operation, intentId });
  return readingOf(view, {
    ...call,
    ...file,
    operation: deps.catalogue.operationOf(operation),
    gaps: deps.gaps,
    body: undefined,
    file,
    ...present({ fileOwed: isOwed(deps.files, file) }),
  });
}
