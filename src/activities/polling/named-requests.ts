/**
 * Evidence of a refresh by its request: the one in our own row, or else those that events about the case have named. An event
 * proves nothing by itself: only the present answer of `GET /v1/requests/{id}` is judged, by the same rules as the status of the
 * case.
 */
import {
  readRefreshStatus,
  readWebhookEvent,
  type RefreshStatus,
  type RequestId,
  present,
} from '../../contract/index.js';
import { cnjKey } from '../../inbox/index.js';
import type { Intent } from '../../ledger/index.js';
import type { AccountDeps, EventDeps } from '../deps.js';
import { parseStored } from '../stored-answer.js';
import { pollRequest } from './poll-request.js';

const MOST_EVENTS = 20;
/** Anyone who can sign an event can name requests: only this many are asked for, the newest first. */
const MOST_REQUESTS = 3;

export interface RequestAnswer {
  readonly requestId: string;
  /** The status in the answer, always with the id that was asked for; undefined if there is none. */
  readonly status?: RefreshStatus;
  /** Service clock − ours, ms, counted from when we asked. */
  readonly skewMs: number | null;
}

/** Ids of requests that events since then have named for this case. */
async function requestsNamed(
  deps: Pick<EventDeps, 'eventsFor'>,
  cnj: string,
  sinceMs: number,
): Promise<readonly string[]> {
  const events = await deps.eventsFor([cnjKey(cnj)], sinceMs, MOST_EVENTS);
  const named = events.flatMap(({ body }) => readWebhookEvent(parseStored(body))?.requestIds ?? []);
  return [...new Set<string>(named)].slice(0, MOST_REQUESTS);
}

/** One look at a request of a refresh. Free. */
export async function askRequest(
  deps: Parameters<typeof pollRequest>[0],
  asked: {
    readonly account: AccountDeps;
    readonly requestId: string;
    readonly totalMs: number;
    readonly signal?: AbortSignal;
  },
): Promise<RequestAnswer> {
  const { account, requestId, totalMs, signal } = asked;
  const startedAtMs = deps.clock.nowMs();
  const { exchange, end } = await pollRequest(deps, {
    account,
    operation: 'requestRefresh',
    requestId,
    totalMs,
    ...present({ signal }),
  });
  const dateMs = 'head' in exchange ? exchange.head.dateMs : undefined;
  const facts = { requestId, skewMs: dateMs === undefined ? null : dateMs - startedAtMs };
  const id = { requestId: requestId as RequestId };
  if (end.end === 'still pending') return { ...facts, status: { state: 'running', recognised: true, ...id } };
  if (end.end !== 'final' || end.judgement.outcome !== 'DONE') return facts;
  return { ...facts, status: { ...readRefreshStatus(end.judgement.body, deps.gaps), ...id } };
}

/** Requests to ask for about this row: its own, or else those that events have named, newest first. */
export async function requestsOf(
  deps: Pick<EventDeps, 'eventsFor'>,
  intent: Pick<Intent, 'requestId' | 'openedAtMs'>,
  cnj: string,
): Promise<readonly string[]> {
  return intent.requestId === null ? requestsNamed(deps, cnj, intent.openedAtMs) : [intent.requestId];
}
