/**
 * One free read of the service (status, listings, balance), for activities and the command line alike. A read is free by
 * the interface or presumed free. If one charges all the same, the charge is booked in a row of its own and logged as an
 * alarm, and the read is barred for the account for 30 days. The ledger is a port.
 */
import {
  buildRequest,
  formatAmount,
  present,
  type Amount,
  type AnswerMeta,
  type Catalogue,
  type Gaps,
  type OperationId,
  type Parameters,
  type ServiceRequest,
} from '../contract/index.js';
import { nameOfError } from '../contract/values/index.js';
import type { UnexpectedRead } from '../protocol/index.js';
import { statusOf } from './answer-head.js';
import { metaOf } from './answer-meta.js';
import { judgeExchange } from './judge-exchange.js';
import type { ServiceClient } from './service-client.js';
import type { Exchange, Judgement } from './types.js';

export interface FreeReadDeps {
  readonly ledger: ReadBook;
  readonly catalogue: Catalogue;
  readonly gaps: Gaps;
  readonly clock: { nowMs(): number };
  readonly log: { error(fields: Readonly<Record<string, string>>, message: string): void };
}

/** What a free read asks of the ledger and reports to it. */
export interface ReadBook {
  /** True when this read has charged the account lately. */
  isBarred(account: string, operation: string): Promise<boolean>;
  holdOf(account: string, call: { readonly free: true }): Promise<Hold | undefined>;
  bookUnexpected(
    charge: Reader &
      Omit<AnswerMeta, 'charged'> & {
        readonly account: string;
        readonly operation: OperationId;
        readonly charged: Amount;
        readonly httpStatus: number | null;
      },
  ): Promise<void>;
  /** Free calls of the account wait until then. */
  throttle(account: string, untilMs: number): Promise<void>;
}

type Hold = { readonly because: 'throttled'; readonly untilMs: number } | { readonly because: 'outage' | 'ledger' };

/** The flow that needs the read; an unexpected charge is booked under it. */
interface Reader {
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly workflowType: string;
}

const TOO_MANY_REQUESTS = 429;

export interface FreeRead {
  readonly account: { readonly name: string; readonly client: Pick<ServiceClient, 'send'> };
  readonly operation: OperationId;
  readonly params: Parameters;
  readonly totalMs: number;
  readonly signal?: AbortSignal;
  readonly reader: Reader;
}

export type FreeAnswer =
  | {
      readonly kind: 'read';
      readonly exchange: Exchange;
      readonly judgement: Judgement;
      /** Service clock − ours, ms: too low by at most a second, see {@link skewOf}. Null without a `Date`. */
      readonly skewMs: number | null;
      readonly unexpected?: UnexpectedRead;
    }
  /** Not sent: this read has charged the account lately. */
  | { readonly kind: 'barred' }
  /** Not sent: the service asked the account to wait (429). */
  | { readonly kind: 'throttled'; readonly untilMs: number };

export async function readFree(deps: FreeReadDeps, read: FreeRead): Promise<FreeAnswer> {
  const { account, operation, params } = read;
  if (await deps.ledger.isBarred(account.name, operation)) return { kind: 'barred' };
  const hold = await deps.ledger.holdOf(account.name, { free: true });
  if (hold?.because === 'throttled') return { kind: 'throttled', untilMs: hold.untilMs };
  const request = buildRequest(deps.catalogue.operationOf(operation), { params, flags: [] }, deps.gaps);
  return { kind: 'read', ...(await sendFree(deps, { ...read, request })) };
}

/** Sends the read, books its charge if there is one, and makes all free calls of the account wait if the service asks. */
export async function sendFree(
  deps: FreeReadDeps,
  read: Omit<FreeRead, 'params'> & { readonly request: ServiceRequest },
): Promise<Omit<Extract<FreeAnswer, { kind: 'read' }>, 'kind'>> {
  const { account, operation: id, request, totalMs, signal } = read;
  const operation = deps.catalogue.operationOf(id);
  const startedAtMs = deps.clock.nowMs();
  const exchange = await account.client.send(request, { totalMs, keepAlive: true, ...present({ signal }) });
  const judgement = judgeExchange(operation, exchange);
  const unexpected = await noteCharge(deps, read, { exchange, judgement });
  const waitMs = judgement.outcome === 'REJECTED' ? judgement.retryAfterMs : null;
  await noteThrottle(deps, account.name, { exchange, waitMs });
  return {
    exchange,
    judgement,
    skewMs: skewOf(exchange, startedAtMs),
    ...present({ unexpected }),
  };
}

/** Books the charge of a read that should be free, even of a lost answer; undefined when it cost nothing. */
export async function noteCharge(
  deps: FreeReadDeps,
  { account, operation, reader }: Pick<FreeRead, 'account' | 'operation' | 'reader'>,
  { exchange, judgement }: { readonly exchange: Exchange; readonly judgement?: Judgement },
): Promise<UnexpectedRead | undefined> {
  const { charged, balanceAfter, metaRequestId, searchLogId } = metaOf(judgement, exchange);
  if (charged === null || charged <= 0) return undefined;
  // Picked by name: a reader is often a whole ledger row, which has an `operation` of its own.
  const { workflowId, firstRunId, workflowType } = reader;
  await deps.ledger.bookUnexpected({
    account: account.name,
    operation,
    workflowId,
    firstRunId,
    workflowType,
    charged,
    balanceAfter,
    metaRequestId,
    searchLogId,
    httpStatus: statusOf(exchange) ?? null,
  });
  return alarm(deps, { account: account.name, operation, charged, metaRequestId, searchLogId });
}

type Charged = Omit<UnexpectedRead, 'amount'> & { readonly charged: Amount };

/** Logs an unexpected charge as an error. What bars the read for the account is the booked row. */
export function alarm(deps: Pick<FreeReadDeps, 'log'>, read: Charged & { readonly account: string }): UnexpectedRead {
  const { account, operation, charged } = read;
  deps.log.error(
    { account, operation, charged: formatAmount(charged) },
    'unexpected charge: a read that should be free was charged; no flow makes it on its own for this account for 30 days',
  );
  return asUnexpected(read);
}

export function asUnexpected({ operation, charged, metaRequestId, searchLogId }: Charged): UnexpectedRead {
  return { operation, amount: formatAmount(charged), metaRequestId, searchLogId };
}

/**
 * After a 429 that names a wait (`waitMs`, else null), all free calls of the account wait; returns whether it was one. Never
 * rejects: a caller that fails here would forget what the read was charged, and a wait that is not stored costs one more 429.
 */
export async function noteThrottle(
  deps: Pick<FreeReadDeps, 'ledger' | 'clock' | 'log'>,
  account: string,
  { exchange, waitMs }: { readonly exchange: Exchange; readonly waitMs: number | null },
): Promise<boolean> {
  if (waitMs === null || waitMs === 0 || statusOf(exchange) !== TOO_MANY_REQUESTS) return false;
  try {
    await deps.ledger.throttle(account, deps.clock.nowMs() + waitMs);
  } catch (error) {
    deps.log.error({ account, error: nameOfError(error) }, 'the wait that the service asks for could not be stored');
  }
  return true;
}

/**
 * Counted from our start: the answer was dated after it, however slowly it came. So the estimate is too low only by the
 * fraction of a second that `Date` drops; it is too high by the time that the answer took.
 */
function skewOf(exchange: Exchange, startedAtMs: number): number | null {
  if (exchange.kind !== 'answer' || exchange.head.dateMs === undefined) return null;
  return exchange.head.dateMs - startedAtMs;
}
