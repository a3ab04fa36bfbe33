/**
 * One free read of the service, for whoever looks without paying: status, listings, balance. Free by the interface, or
 * presumed so: a read that is seen charging is booked as a row of its own, is an alarm, and is never made again for the
 * account (design 2, `unexpected-charge`).
 */
import { buildRequest, formatAmount, type OperationId, type Parameters } from '../contract/index.js';
import { judgeExchange, type Exchange, type Judgement } from '../http/index.js';
import type { UnexpectedRead } from '../protocol/index.js';
import type { AccountDeps, ActivityDeps } from './deps.js';

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
      readonly skewMs: number | null;
      readonly unexpected?: UnexpectedRead;
    }
  /** It has charged before: not made again. */
  | { readonly kind: 'barred' };

export async function readFree(deps: ActivityDeps, read: FreeRead): Promise<FreeAnswer> {
  const { account, operation: id, params, totalMs, signal } = read;
  if (await deps.ledger.isBarred(account.name, id)) return { kind: 'barred' };
  const operation = deps.catalogue.operationOf(id);
  const exchange = await account.client.send(buildRequest(operation, { params, flags: [] }, deps.gaps), {
    totalMs,
    keepAlive: true,
    ...(signal === undefined ? {} : { signal }),
  });
  const judgement = judgeExchange(operation, exchange, { nowMs: deps.clock.nowMs() });
  const unexpected = await noteCharge(deps, read, { exchange, judgement });
  return {
    ...{ kind: 'read', exchange, judgement, skewMs: skewOf(exchange) },
    ...(unexpected === undefined ? {} : { unexpected }),
  };
}

async function noteCharge(
  deps: ActivityDeps,
  { account, operation, reader }: FreeRead,
  { exchange, judgement }: { readonly exchange: Exchange; readonly judgement: Judgement },
): Promise<UnexpectedRead | undefined> {
  if (!('meta' in judgement) || judgement.meta.charged === null || judgement.meta.charged <= 0) return undefined;
  const { charged, balanceAfter, metaRequestId, searchLogId } = judgement.meta;
  await deps.ledger.bookUnexpected({
    ...{ account: account.name, operation, ...reader },
    ...{ charged, balanceAfter, metaRequestId, searchLogId },
    httpStatus: exchange.kind === 'answer' ? exchange.head.status : null,
  });
  deps.log.error(
    { account: account.name, operation, charged: formatAmount(charged) },
    'unexpected charge: a read that should be free has cost money; it is not made again for this account',
  );
  return { operation, amount: formatAmount(charged), metaRequestId, searchLogId };
}

/** Service clock − ours, by the answer's own `Date`, which has whole seconds. */
function skewOf(exchange: Exchange): number | null {
  if (exchange.kind !== 'answer' || exchange.head.dateMs === undefined) return null;
  return exchange.head.dateMs - Math.floor(exchange.head.receivedAtMs / 1_000) * 1_000;
}
