/**
 * A free read that is answered 202 is waited for inside the same attempt (design 9.5): polls are free, nothing is parked for
 * it. Gives the final judgement; undefined when there is none in time, so that the attempt is made again.
 */
import { buildRequest } from '../../contract/index.js';
import { judgePoll, type Judgement } from '../../http/index.js';
import type { ActivityDeps } from '../deps.js';
import type { FreeRead } from '../free/free-read.js';

const POLL_TOTAL_MS = 10_000;
const SHORTEST_MS = 250;
const LONGEST_MS = 5_000;
const GIVE_UP_AFTER_MS = 30_000;

export async function waitOutPending(
  deps: ActivityDeps,
  { account, operation, signal }: Pick<FreeRead, 'account' | 'operation' | 'signal'>,
  first: Judgement,
): Promise<Judgement | undefined> {
  if (first.outcome !== 'PENDING') return first;
  const { requestId } = first.pending;
  if (requestId === undefined) return undefined;
  const poll = buildRequest(deps.catalogue.operationOf('getRequest'), { params: { requestId }, flags: [] }, deps.gaps);
  const context = { operation: deps.catalogue.operationOf(operation), serverErrors: 'unknown' as const };
  const untilMs = deps.clock.monotonicMs() + GIVE_UP_AFTER_MS;
  let { hintMs } = first;
  while (deps.clock.monotonicMs() < untilMs) {
    const waitMs = Math.min(Math.max(hintMs ?? 0, SHORTEST_MS), LONGEST_MS);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    signal?.throwIfAborted();
    const options = { totalMs: POLL_TOTAL_MS, keepAlive: true, ...(signal === undefined ? {} : { signal }) };
    const exchange = await account.client.send(poll, options);
    const end = judgePoll(exchange, { ...context, nowMs: deps.clock.nowMs() });
    if (end.end === 'final') return end.judgement;
    if (end.end === 'credentials' || end.end === 'forgotten') return undefined;
    hintMs = end.hintMs;
  }
  return undefined;
}
