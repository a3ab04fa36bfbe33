/**
 * Waits within the same attempt for a free read that is answered 202: polls are free, and no flow parks for it. A charge that
 * the final answer reports is booked, unless the 202 has reported it already.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { present } from '../../contract/index.js';
import {
  noteCharge,
  noteThrottle,
  readFree,
  statusOf,
  type Exchange,
  type FreeAnswer,
  type FreeRead,
  type Judgement,
} from '../../http/index.js';
import type { UnexpectedRead } from '../../protocol/index.js';
import type { AccountDeps, LedgerDeps, ServiceDeps } from '../deps.js';
import { pollRequest } from './poll-request.js';

export type ReadDeps = ServiceDeps & Pick<LedgerDeps, 'ledger'>;

type WaitedOut =
  | {
      readonly kind: 'final';
      readonly exchange: Exchange;
      readonly judgement: Judgement;
      readonly unexpected?: UnexpectedRead;
      readonly status: number;
    }
  /** Not ended in time: a later poll of the same request may bring the answer. */
  | { readonly kind: 'running' }
  /** The request cannot be polled: the read has to be made again. */
  | { readonly kind: 'gone' };

type Asked = Pick<FreeRead, 'operation' | 'reader'> & {
  readonly account: AccountDeps;
  readonly signal?: AbortSignal | undefined;
  /** The 202 reported a charge: the final answer reports the same one. */
  readonly isBooked: boolean;
};

const SHORTEST_MS = 250;
const LONGEST_MS = 5_000;
const GIVE_UP_AFTER_MS = 30_000;

/** A free read with its final answer, or, if that does not come in time, with the 202. */
export async function readToEnd(deps: ReadDeps, read: FreeRead & Pick<Asked, 'account'>): Promise<FreeAnswer> {
  const answer = await readFree(deps, read);
  if (answer.kind !== 'read' || answer.judgement.outcome !== 'PENDING') return answer;
  const { hintMs, pending } = answer.judgement;
  if (pending.requestId === undefined) return answer;
  const asked = { ...read, isBooked: answer.unexpected !== undefined };
  const waited = await waitOutRequest(deps, asked, { requestId: pending.requestId, hintMs });
  if (waited.kind !== 'final') return answer;
  const { exchange, judgement, status, unexpected = answer.unexpected } = waited;
  return { ...answer, exchange, judgement, status, ...present({ unexpected }) };
}

export async function waitOutRequest(
  deps: ReadDeps,
  asked: Asked,
  pending: { readonly requestId: string; readonly hintMs: number | null },
): Promise<WaitedOut> {
  const { account, operation, reader, signal, isBooked } = asked;
  const { requestId } = pending;
  const untilMs = deps.clock.monotonicMs() + GIVE_UP_AFTER_MS;
  let { hintMs } = pending;
  let isError = false;
  while (deps.clock.monotonicMs() < untilMs) {
    const waitMs = Math.min(Math.max(hintMs ?? 0, SHORTEST_MS), LONGEST_MS);
    await sleep(waitMs);
    signal?.throwIfAborted();
    const { exchange, end } = await pollRequest(deps, { account, operation, requestId, ...present({ signal }) });
    if (end.end === 'final') {
      const { judgement } = end;
      const status = statusOf(exchange) ?? 0;
      const unexpected = isBooked
        ? undefined
        : await noteCharge(deps, { account, operation, reader }, { exchange, judgement });
      return { kind: 'final', exchange, judgement, status, ...present({ unexpected }) };
    }
    if (end.end === 'credentials' || end.end === 'forgotten') return { kind: 'gone' };
    if (end.end === 'again' && (await noteThrottle(deps, account.name, { exchange, waitMs: end.hintMs }))) {
      return { kind: 'running' };
    }
    isError = end.end === 'error';
    hintMs = end.end === 'error' ? null : end.hintMs;
  }
  // Waiting does not help a request that ends in errors of the service.
  return { kind: isError ? 'gone' : 'running' };
}
