/** What a refusal of the service (4xx, 429) does to a flow. Pure. */
import type { CallFacts, FailureType } from '../../protocol/index.js';
import { reportsCharge } from '../flow/flow-record.js';

export type Refused = CallFacts & {
  readonly retryAfterMs?: number;
  readonly aboutBalance?: boolean;
  /** The answer is not about the request, whatever its status: the service is away. */
  readonly isAway?: boolean;
};

/** The attention of a flow that has paid and can be cured from outside. */
export type Curable = 'stalled' | 'budget' | 'credentials';

type AfterRejection =
  | { readonly then: 'send again'; readonly afterMs: number }
  | { readonly then: 'park'; readonly attention: Curable }
  | { readonly then: 'fail'; readonly type: FailureType };

/** After this many refusals in a row the flow fails, or parks if it has paid. */
export const MAX_TRIES = 5;
/** Waits by try, if the service gives no `Retry-After`, or one that does not lie ahead. */
const THROTTLE_WAITS_MS = [5_000, 15_000, 60_000, 300_000];
const LONGEST_WAIT_MS = 900_000;

/** The attention for each failure that can be cured from outside. */
const CURED_FROM_OUTSIDE: Readonly<Partial<Record<FailureType, Curable>>> = {
  Throttled: 'stalled',
  Unreachable: 'stalled',
  InsufficientBalance: 'budget',
  Unauthorized: 'credentials',
  Forbidden: 'credentials',
};

export function decideRejection(
  refused: Refused,
  facts: { readonly tries: number; readonly paid: boolean },
): AfterRejection {
  const type = failureOfRefusal(refused);
  const attention = CURED_FROM_OUTSIDE[type];
  if (attention === 'stalled' && facts.tries < MAX_TRIES) {
    return { then: 'send again', afterMs: throttleWaitMs(refused, facts.tries) };
  }
  return facts.paid && attention !== undefined ? { then: 'park', attention } : { then: 'fail', type };
}

/** How the flow fails if this refusal ends it, even where a retry could help. */
export function failureOfRefusal(refused: Refused): FailureType {
  const { status = 0 } = refused;
  // A refusal that names a charge has cost money: sending again would pay again.
  if (!reportsCharge(refused)) {
    if (status === 429) return 'Throttled';
    if (status >= 500 || refused.isAway === true) return 'Unreachable';
    if (refused.aboutBalance === true) return 'InsufficientBalance';
    if (status === 401) return 'Unauthorized';
    if (status === 403) return 'Forbidden';
  }
  return status === 404 ? 'NotFound' : 'Rejected';
}

/** How a flow that waits for a cure fails if none comes. */
export function failureOfParked(attention: Curable, { status }: Pick<CallFacts, 'status'>): FailureType {
  switch (attention) {
    case 'budget':
      return 'InsufficientBalance';
    case 'credentials':
      return status === 403 ? 'Forbidden' : 'Unauthorized';
    case 'stalled':
      if (status === 429) return 'Throttled';
      return status === 404 ? 'NotFound' : 'Unreachable';
  }
}

/** A `Retry-After` of zero does not count: five tries within a second would end the flow. */
function throttleWaitMs({ retryAfterMs = 0 }: Refused, tries: number): number {
  const waitMs = retryAfterMs > 0 ? retryAfterMs : (THROTTLE_WAITS_MS[tries - 1] ?? LONGEST_WAIT_MS);
  return Math.min(waitMs, LONGEST_WAIT_MS);
}

const NOT_SENT_WAITS_MS = [1_000, 5_000, 15_000, 60_000];

/** Back-off of a call that provably was not sent, by try. */
export function notSentWaitMs(tries: number): number {
  return NOT_SENT_WAITS_MS[tries - 1] ?? 60_000;
}

/** ` (CODE: reason)`, or nothing. Reasons were cleaned where they were read. */
export function reasonSuffix(facts: { readonly reason?: string; readonly errorCode?: string }): string {
  const text = [facts.errorCode, facts.reason].filter((part) => part !== undefined).join(': ');
  return text === '' ? '' : ` (${text})`;
}

const CURES: Readonly<Record<string, string>> = {
  Unauthorized: 'Check the API key of the account (TRAMITA_API_KEY, or what its apiKeyEnv names) and start again',
  Forbidden: 'The key may not do this operation: ask the service to allow it, or use another account',
  InsufficientBalance: 'Top up the balance of the account and start again',
  Throttled: 'The service keeps asking to wait: lower requestsPerMinute of the account and start again later',
  Rejected: 'The service rejects this request: read its reason, and change the request before you start it again',
  Unreachable: 'The service keeps failing: try again later',
};

/** `about`: what the flow is about, as people read it: a case number, a request, or only the operation. */
export function cureOf(
  failureType: string,
  { about, operation }: { readonly about: string; readonly operation: string },
): string {
  if (failureType !== 'NotFound') return CURES[failureType] ?? '';
  if (about === operation) return 'The service found nothing under these params: check them';
  const asked = CASE_NUMBER.test(about) ? `case ${about}` : about;
  switch (operation) {
    case 'listPublicDocuments':
      return `The service lists no public documents of ${asked}: try again later; with maxAge a refresh that is paid is not bought again`;
    case 'getSummary':
      return `The service has no summary of ${asked}, or does not know it: summarizeCase orders one`;
    case 'getRequest':
      return `The service does not know ${asked}, or its work has ended with this answer: check the id and the reason`;
    case 'listNotices':
      return `The service found no notices, or does not know one of these ${asked}: check them`;
    case 'searchElectoralBoard':
      return `The service found nothing on the ${asked}: check the period and the filters`;
    default:
      return `The service does not know ${asked}: check its number or id`;
  }
}

/** How to buy again what was paid for nothing. Under a `once` (a reference is one too) it is paid once, forever. */
export function startAgain({ once }: { readonly once?: string }): string {
  return once === undefined
    ? 'start again'
    : 'start again under another once or reference, because under this one a call is paid only once';
}

const CREATES_A_MONITOR: readonly string[] = ['createNoticeMonitor', 'createRadar', 'createCaseMonitor'];

/** What to do when a paid answer is lost. A monitor that was paid for bills, and a second one would bill too. */
export function afterLostAnswer(operation: string, settings: { readonly once?: string }): string {
  return CREATES_A_MONITOR.includes(operation)
    ? `The monitor probably exists at the service, and it bills until it is switched off: look for it there. If it does not exist, ${startAgain(settings)}; a second one would bill too`
    : `If the answer is still needed, ${startAgain(settings)}: it costs again`;
}

const CASE_NUMBER = /^\d{7}-\d\d\.\d{4}\./;
