/**
 * `GET /v1/requests/{id}` for work of any operation: the exchange, and what it means. Free. After a 429 that names a wait, all free
 * calls of the account wait.
 */
import { buildRequest, present } from '../../contract/index.js';
import { FILE_TOTAL_MS, JSON_DEADLINE_MS } from '../../contract/values/index.js';
import { judgePoll, noteThrottle, type Exchange, type PollVerdict } from '../../http/index.js';
import type { AccountDeps, LedgerDeps, ServiceDeps } from '../deps.js';
import { mayEndInFile } from '../charged/stored-file.js';
import { LOOK_TOTAL_MS } from './look.js';

/** The part of an attempt that is reserved for everything but the transfer of a file. */
const SETTLING_MS = 10_000;

export async function pollRequest(
  deps: ServiceDeps & Pick<LedgerDeps, 'ledger'>,
  asked: {
    readonly account: AccountDeps;
    readonly operation: string;
    readonly requestId: string;
    readonly signal?: AbortSignal;
    /** Default: {@link LOOK_TOTAL_MS}; for a file all but the last ten seconds of the attempt. */
    readonly totalMs?: number;
    /** Time limit of the attempt; default 60 s. */
    readonly withinMs?: number;
  },
): Promise<{ readonly exchange: Exchange; readonly end: PollVerdict; readonly isThrottled: boolean }> {
  const { account, requestId, signal, withinMs = JSON_DEADLINE_MS } = asked;
  const operation = deps.catalogue.operationOf(asked.operation);
  const isFile = mayEndInFile(operation);
  const { totalMs = isFile ? Math.min(withinMs - SETTLING_MS, FILE_TOTAL_MS) : LOOK_TOTAL_MS } = asked;
  const target = deps.catalogue.operationOf('getRequest');
  const exchange = await account.client.send(buildRequest(target, { params: { requestId }, flags: [] }, deps.gaps), {
    keepAlive: true,
    totalMs,
    ...present({ signal, sink: isFile ? deps.files.landing : undefined }),
  });
  const end = judgePoll(exchange, operation);
  const waitMs = end.end === 'again' ? end.hintMs : null;
  return { exchange, end, isThrottled: await noteThrottle(deps, account.name, { exchange, waitMs }) };
}
