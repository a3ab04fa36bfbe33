/**
 * A free read that is answered 202 is waited for inside the same attempt (design 9.5): polls are free, nothing is parked for
 * it. A charge that the final tells is booked, unless the 202 has told it already.
 */
import { noteCharge, type FreeRead, type Judgement } from '../../http/index.js';
import type { UnexpectedRead } from '../../protocol/index.js';
import type { AccountDeps, ActivityDeps } from '../deps.js';
import { pollRequest } from './poll-request.js';

export type WaitedOut =
  | {
      readonly kind: 'final';
      readonly judgement: Judgement;
      readonly unexpected?: UnexpectedRead;
      readonly status: number;
    }
  /** Not within the time: asked for the same request again, it may be there. */
  | { readonly kind: 'running' }
  /** The request cannot be asked for: the read has to be made anew. */
  | { readonly kind: 'gone' };

type Asked = Pick<FreeRead, 'operation' | 'reader'> & {
  readonly account: AccountDeps;
  readonly signal?: AbortSignal | undefined;
  /** The 202 told a charge: its final tells the same one. */
  readonly isBooked?: boolean;
};

const SHORTEST_MS = 250;
const LONGEST_MS = 5_000;
const GIVE_UP_AFTER_MS = 30_000;

/** A judgement that is not pending is returned as it is; undefined where there is none in time, so that it is read again. */
export async function waitOutPending(
  deps: ActivityDeps,
  asked: Asked,
  first: Judgement,
): Promise<Pick<Extract<WaitedOut, { kind: 'final' }>, 'judgement' | 'unexpected'> | undefined> {
  if (first.outcome !== 'PENDING') return { judgement: first };
  const { requestId } = first.pending;
  if (requestId === undefined) return undefined;
  const waited = await waitOutRequest(deps, asked, { requestId, hintMs: first.hintMs });
  return waited.kind === 'final' ? waited : undefined;
}

export async function waitOutRequest(
  deps: ActivityDeps,
  asked: Asked,
  pending: { readonly requestId: string; readonly hintMs: number | null },
): Promise<WaitedOut> {
  const { account, operation, reader, signal, isBooked = false } = asked;
  const { requestId } = pending;
  const untilMs = deps.clock.monotonicMs() + GIVE_UP_AFTER_MS;
  let { hintMs } = pending;
  let isError = false;
  while (deps.clock.monotonicMs() < untilMs) {
    const waitMs = Math.min(Math.max(hintMs ?? 0, SHORTEST_MS), LONGEST_MS);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    signal?.throwIfAborted();
    const { exchange, end } = await pollRequest(deps, {
      ...{ account, operation, requestId },
      ...(signal === undefined ? {} : { signal }),
    });
    if (end.end === 'final') {
      const { judgement } = end;
      const status = 'head' in exchange ? exchange.head.status : 0;
      const unexpected = isBooked
        ? undefined
        : await noteCharge(deps, { account, operation, reader }, { exchange, judgement });
      return { kind: 'final', judgement, status, ...(unexpected === undefined ? {} : { unexpected }) };
    }
    if (end.end === 'credentials' || end.end === 'forgotten') return { kind: 'gone' };
    isError = end.end === 'error';
    hintMs = end.end === 'error' ? null : end.hintMs;
  }
  // A request that ends in errors of the service will not be better for waiting.
  return { kind: isError ? 'gone' : 'running' };
}
