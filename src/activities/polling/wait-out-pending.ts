/**
 * Waits within the same attempt for a free read that is answered 202: polls are free, and no flow parks for it. A charge that a
 * poll reports is that of the read. It is booked once: at the 202, at a poll of the running request, or at the final answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { present } from '../../contract/index.js';
import {
  noteCharge,
  readFree,
  type Exchange,
  type FreeAnswer,
  type FreeRead,
  type Judgement,
} from '../../http/index.js';
import type { UnexpectedRead } from '../../protocol/index.js';
import type { AccountDeps, LedgerDeps, ServiceDeps } from '../deps.js';
import { LOOK_TOTAL_MS } from './look.js';
import { pollRequest } from './poll-request.js';

export type ReadDeps = ServiceDeps & Pick<LedgerDeps, 'ledger'>;

/** `unexpected`: a charge that the polls have reported. */
type WaitedOut = { readonly unexpected?: UnexpectedRead } & (
  | { readonly kind: 'final'; readonly exchange: Exchange; readonly judgement: Judgement }
  /** Not ended in time: a later poll of the same request may bring the answer. */
  | { readonly kind: 'running' }
  /** The request cannot be polled: the read has to be made again. */
  | { readonly kind: 'gone' }
);

type Asked = Pick<FreeRead, 'operation' | 'reader'> & {
  readonly account: AccountDeps;
  readonly signal?: AbortSignal | undefined;
  /** The 202 reported a charge: the final answer reports the same one. */
  readonly isBooked: boolean;
  /** Time limit of the wait and its polls; default and at most {@link GIVE_UP_AFTER_MS}. */
  readonly withinMs?: number;
};

const SHORTEST_MS = 250;
const LONGEST_MS = 5_000;
const GIVE_UP_AFTER_MS = 30_000;
/** With less time than this left no poll is begun. */
const SHORTEST_POLL_MS = 1_000;

/**
 * A free read with its final answer, or, if that does not come in time, with the 202. `withinMs`: time limit of the read and the
 * wait together; default `totalMs`, the time limit of the read.
 */
export async function readToEnd(
  deps: ReadDeps,
  { withinMs, ...read }: FreeRead & Pick<Asked, 'account'> & { readonly withinMs?: number },
): Promise<FreeAnswer> {
  const untilMs = deps.clock.monotonicMs() + (withinMs ?? read.totalMs);
  const answer = await readFree(deps, read);
  if (answer.kind !== 'read' || answer.judgement.outcome !== 'PENDING') return answer;
  const { hintMs, pending } = answer.judgement;
  if (pending.requestId === undefined) return answer;
  const isBooked = answer.unexpected !== undefined;
  const asked = { ...read, isBooked, withinMs: untilMs - deps.clock.monotonicMs() };
  const waited = await waitOutRequest(deps, asked, { requestId: pending.requestId, hintMs }).catch((error: unknown) => {
    // The next attempt would not know of the charge.
    if (isBooked) return undefined;
    throw error;
  });
  if (waited === undefined) return answer;
  const told = { ...answer, ...present({ unexpected: waited.unexpected }) };
  return waited.kind === 'final' ? { ...told, exchange: waited.exchange, judgement: waited.judgement } : told;
}

export async function waitOutRequest(
  deps: ReadDeps,
  asked: Asked,
  pending: { readonly requestId: string; readonly hintMs: number | null },
): Promise<WaitedOut> {
  const { account, operation, reader, signal, isBooked, withinMs = GIVE_UP_AFTER_MS } = asked;
  const { requestId } = pending;
  const untilMs = deps.clock.monotonicMs() + Math.min(withinMs, GIVE_UP_AFTER_MS);
  let { hintMs } = pending;
  let isError = false;
  let unexpected: UnexpectedRead | undefined;
  const ended = (kind: 'running' | 'gone'): WaitedOut => ({ kind, ...present({ unexpected }) });
  for (;;) {
    const waitMs = Math.min(Math.max(hintMs ?? 0, SHORTEST_MS), LONGEST_MS);
    if (deps.clock.monotonicMs() + waitMs + SHORTEST_POLL_MS > untilMs) break;
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    // The next attempt would not know of the charge.
    if (signal?.aborted === true && unexpected !== undefined) return ended('running');
    signal?.throwIfAborted();
    const totalMs = Math.min(untilMs - deps.clock.monotonicMs(), LOOK_TOTAL_MS);
    const { exchange, end, isThrottled } = await pollRequest(deps, {
      account,
      operation,
      requestId,
      totalMs,
      ...present({ signal }),
    });
    const tellsCharge = end.end === 'final' || (end.end === 'still pending' && end.charged !== undefined);
    if (tellsCharge && !isBooked && unexpected === undefined) {
      const answered = { exchange, ...(end.end === 'final' ? { judgement: end.judgement } : {}) };
      unexpected = await noteCharge(deps, { account, operation, reader }, answered);
    }
    if (end.end === 'final') return { kind: 'final', exchange, judgement: end.judgement, ...present({ unexpected }) };
    if (end.end === 'credentials' || end.end === 'forgotten') return ended('gone');
    if (isThrottled) return ended('running');
    isError = end.end === 'error';
    hintMs = end.end === 'error' ? null : end.hintMs;
  }
  // Waiting does not help a request that ends in errors of the service.
  return ended(isError ? 'gone' : 'running');
}
