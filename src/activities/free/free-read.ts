/**
 * One free read of the service, for whoever looks without paying: status, listings, balance. Free by the interface, or
 * presumed so: a read that is seen charging is booked as a row of its own, is an alarm, and is never made again for the
 * account (`unexpected-charge`).
 */
import {
  buildRequest,
  formatAmount,
  type Amount,
  type OperationId,
  type Parameters,
  type ServiceRequest,
  present,
} from '../../contract/index.js';
import { judgeExchange, type Exchange, type Judgement } from '../../http/index.js';
import type { Intent } from '../../ledger/index.js';
import type { UnexpectedRead } from '../../protocol/index.js';
import type { AccountDeps, ActivityDeps } from '../deps.js';
import { noteThrottle } from './throttle.js';

export interface FreeRead {
  readonly account: AccountDeps;
  readonly operation: OperationId;
  readonly params: Parameters;
  readonly totalMs: number;
  readonly signal?: AbortSignal;
  /** For whom it is read: the row of a charge that should not be stands under this flow. */
  readonly reader: { readonly workflowId: string; readonly firstRunId: string; readonly workflowType: string };
}

export type FreeAnswer =
  | {
      readonly kind: 'read';
      readonly exchange: Exchange;
      readonly judgement: Judgement;
      /** Service clock − ours, ms: at least this; at most a second more (`Date` has whole seconds). Null without a `Date`. */
      readonly skewMs: number | null;
      /** HTTP status; 0 where there was no whole answer. */
      readonly status: number;
      readonly unexpected?: UnexpectedRead;
    }
  /** It has charged before: not made again. */
  | { readonly kind: 'barred' }
  /** The service asked the account to wait (429): not made before that. */
  | { readonly kind: 'throttled'; readonly untilMs: number };

export async function readFree(deps: ActivityDeps, read: FreeRead): Promise<FreeAnswer> {
  const { account, operation, params } = read;
  if (await deps.ledger.isBarred(account.name, operation)) return { kind: 'barred' };
  const hold = await deps.ledger.holdOf(account.name, { free: true });
  if (hold?.because === 'throttled') return { kind: 'throttled', untilMs: hold.untilMs };
  const request = buildRequest(deps.catalogue.operationOf(operation), { params, flags: [] }, deps.gaps);
  return { kind: 'read', ...(await sendFree(deps, { ...read, request })) };
}

/** The read itself; a charge is booked, and a wish to wait is noted for all free calls of the account. */
export async function sendFree(
  deps: ActivityDeps,
  read: Omit<FreeRead, 'params'> & { readonly request: ServiceRequest },
): Promise<Omit<Extract<FreeAnswer, { kind: 'read' }>, 'kind'>> {
  const { account, operation: id, request, totalMs, signal } = read;
  const operation = deps.catalogue.operationOf(id);
  const startedAtMs = deps.clock.nowMs();
  const exchange = await account.client.send(request, {
    totalMs,
    keepAlive: true,
    ...present({ signal }),
  });
  const judgement = judgeExchange(operation, exchange, { nowMs: deps.clock.nowMs() });
  const unexpected = await noteCharge(deps, read, { exchange, judgement });
  const waitMs = judgement.outcome === 'REJECTED' ? judgement.retryAfterMs : null;
  await noteThrottle(deps, account.name, { exchange, waitMs });
  return {
    ...{ exchange, judgement, skewMs: skewOf(exchange, startedAtMs) },
    status: exchange.kind === 'answer' ? exchange.head.status : 0,
    ...present({ unexpected }),
  };
}

/** Books what a read that should be free has cost; undefined where it cost nothing. */
export async function noteCharge(
  deps: ActivityDeps,
  { account, operation, reader }: Pick<FreeRead, 'account' | 'operation' | 'reader'>,
  { exchange, judgement }: { readonly exchange: Exchange; readonly judgement: Judgement },
): Promise<UnexpectedRead | undefined> {
  if (!('meta' in judgement) || judgement.meta.charged === null || judgement.meta.charged <= 0) return undefined;
  const { charged, balanceAfter, metaRequestId, searchLogId } = judgement.meta;
  // Named one by one: a reader is mostly a whole ledger row, with an operation of its own.
  const { workflowId, firstRunId, workflowType } = reader;
  await deps.ledger.bookUnexpected({
    ...{ account: account.name, operation, workflowId, firstRunId, workflowType },
    ...{ charged, balanceAfter, metaRequestId, searchLogId },
    httpStatus: exchange.kind === 'answer' ? exchange.head.status : null,
  });
  return alarm(deps, { account: account.name, operation, charged, metaRequestId, searchLogId });
}

/** Says it aloud; the row that tells the charge bars the operation as a free read of the account. */
export function alarm(
  deps: Pick<ActivityDeps, 'log'>,
  read: Pick<Intent, 'account' | 'operation' | 'metaRequestId' | 'searchLogId'> & { readonly charged: Amount },
): UnexpectedRead {
  const { account, operation, charged, metaRequestId, searchLogId } = read;
  deps.log.error(
    { account, operation, charged: formatAmount(charged) },
    'unexpected charge: a read that should be free has cost money; it is not made again for this account',
  );
  return { operation, amount: formatAmount(charged), metaRequestId, searchLogId };
}

/**
 * The answer was dated after we asked, however slowly it came: counted from there, the service's clock is never taken to be
 * earlier than it is by more than its whole second.
 */
function skewOf(exchange: Exchange, startedAtMs: number): number | null {
  if (exchange.kind !== 'answer' || exchange.head.dateMs === undefined) return null;
  return exchange.head.dateMs - startedAtMs;
}
