/**
 * Records each exchange with the service, and each download, as a span: its operation, outcome, charge and ledger row. Of the
 * request it records only the operation and the method, because a path may have a case number.
 */
import type { AccountDeps } from '../activities/index.js';
import { AMOUNT_SCALE, type Catalogue } from '../contract/index.js';
import {
  downloadFile,
  judgeExchange,
  readExchangeMeta,
  statusOf,
  type Exchange,
  type ServiceClient,
} from '../http/index.js';
import type { Traces } from '../traces/index.js';
import { currentIntentId } from './call-context.js';

/** The same client; each exchange is recorded. */
export function tracedClient(
  client: ServiceClient,
  traces: Traces,
  account: Pick<AccountDeps, 'serverErrors'> & { readonly name: string; readonly catalogue: Catalogue },
): ServiceClient {
  return {
    close: () => client.close(),
    send: async (request, options) => {
      const startMs = Date.now();
      const exchange = await client.send(request, options);
      const { operation = 'unknown', method } = request;
      const endMs = Date.now();
      const { outcome } = judgeExchange(account.catalogue.operationOf(operation), exchange, {
        nowMs: endMs,
        serverErrors: account.serverErrors,
      });
      const { charged } = readExchangeMeta(exchange);
      traces.note({
        name: `HTTP ${operation}`,
        startMs,
        endMs,
        facts: {
          'http.request.method': method,
          'http.response.status_code': statusOf(exchange),
          'tramita.account': account.name,
          'tramita.operation': operation,
          'tramita.exchange': exchange.kind,
          'tramita.outcome': outcome,
          'tramita.charged': charged === null ? undefined : charged / AMOUNT_SCALE,
          'tramita.intent_id': currentIntentId(),
        },
        ...problemOf(exchange),
      });
      return exchange;
    },
  };
}

/** The same download; each is recorded, without its link. */
export function tracedDownload(traces: Traces): typeof downloadFile {
  return async (job) => {
    const startMs = Date.now();
    const outcome = await downloadFile(job);
    traces.note({
      name: 'HTTP download',
      startMs,
      endMs: Date.now(),
      facts: {
        'http.request.method': 'GET',
        'tramita.operation': 'download',
        'tramita.outcome': outcome.kind,
        'tramita.bytes': outcome.kind === 'stored' ? outcome.bytes : undefined,
        'tramita.intent_id': currentIntentId(),
      },
      ...(outcome.kind === 'stored' ? {} : { problem: outcome.kind }),
    });
    return outcome;
  };
}

function problemOf(exchange: Exchange): { readonly problem?: string } {
  if (exchange.kind === 'file') return {};
  if (exchange.kind !== 'answer') return { problem: exchange.kind };
  return exchange.head.status >= 400 ? { problem: `HTTP ${exchange.head.status}` } : {};
}
