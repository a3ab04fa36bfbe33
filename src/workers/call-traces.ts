/**
 * Records each exchange with the service, and each download, as a span: its operation, outcome, charge and ledger row. Of the
 * request it records only the operation and the method, because a path may have a case number.
 */
import type { AccountDeps } from '../activities/index.js';
import { AMOUNT_SCALE, type Catalogue, type ServiceRequest } from '../contract/index.js';
import {
  downloadFile,
  judgeExchange,
  readExchangeMeta,
  statusOf,
  type Exchange,
  type ServiceClient,
} from '../http/index.js';
import type { EndedSpan, Traces } from '../traces/index.js';
import { currentIntentId } from './call-context.js';

/** The same client; each exchange is recorded. */
export function tracedClient(
  client: ServiceClient,
  traces: Pick<Traces, 'note'>,
  account: TracedAccount,
): ServiceClient {
  return {
    close: () => client.close(),
    send: async (request, options) => {
      const startMs = Date.now();
      const exchange = await client.send(request, options);
      const times = { startMs, endMs: Date.now() };
      noteIfPossible(traces, () => ({ ...times, ...spanOf(request, exchange, account) }));
      return exchange;
    },
  };
}

type TracedAccount = Pick<AccountDeps, 'serverErrors'> & { readonly name: string; readonly catalogue: Catalogue };

/** The answer of a call may be paid: it is returned even if it cannot be recorded. */
function noteIfPossible(traces: Pick<Traces, 'note'>, span: () => EndedSpan): void {
  try {
    traces.note(span());
  } catch {
    // Only the span is lost.
  }
}

function spanOf(
  { operation = 'unknown', method }: ServiceRequest,
  exchange: Exchange,
  { name, catalogue, serverErrors }: TracedAccount,
): Pick<EndedSpan, 'name' | 'facts' | 'problem'> {
  const judged = catalogue.has(operation)
    ? judgeExchange(catalogue.operationOf(operation), exchange, { serverErrors })
    : undefined;
  const { charged } = readExchangeMeta(exchange);
  return {
    name: `HTTP ${operation}`,
    facts: {
      'http.request.method': method,
      'http.response.status_code': statusOf(exchange),
      'tramita.account': name,
      'tramita.operation': operation,
      'tramita.exchange': exchange.kind,
      'tramita.outcome': judged?.outcome,
      'tramita.charged': charged === null ? undefined : charged / AMOUNT_SCALE,
      'tramita.intent_id': currentIntentId(),
    },
    ...problemOf(exchange),
  };
}

/** The same download; each is recorded, without its link. */
export function tracedDownload(traces: Pick<Traces, 'note'>): typeof downloadFile {
  return async (job) => {
    const startMs = Date.now();
    const outcome = await downloadFile(job);
    noteIfPossible(traces, () => ({
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
    }));
    return outcome;
  };
}

function problemOf(exchange: Exchange): { readonly problem?: string } {
  if (exchange.kind === 'file') return {};
  if (exchange.kind !== 'answer') return { problem: exchange.kind };
  return exchange.head.status >= 400 ? { problem: `HTTP ${exchange.head.status}` } : {};
}
