/** Free reads of the service for people: one attempt, no retry, nothing written. Never a charged operation. */
import { buildRequest, operationOf, type OperationId } from '../contract/index.js';
import { tlsProblems, type AccountConfig, type Config } from '../config/index.js';
import { createServiceClient, parseStrictJson } from '../http/index.js';

const WITHIN_MS = 15_000;

export type FreeOperation = Extract<OperationId, 'getBalance' | 'getAvailability'>;

export type FreeRead = { readonly ok: true; readonly body: unknown } | { readonly ok: false; readonly problem: string };

export async function readFree(
  { account, config }: { readonly account: AccountConfig; readonly config: Config },
  operation: FreeOperation,
): Promise<FreeRead> {
  const { apiUrl, apiKey, auth } = account;
  const [unverified] = tlsProblems(config);
  if (unverified !== undefined) return { ok: false, problem: unverified };
  if (apiUrl === undefined || apiKey === undefined) return { ok: false, problem: 'no address or no key is configured' };
  const client = createServiceClient({ baseUrl: apiUrl, apiKey, auth });
  try {
    const request = buildRequest(operationOf(operation), { params: {}, flags: [] }, config.gaps);
    const exchange = await client.send(request, { totalMs: WITHIN_MS });
    if (exchange.kind === 'file') return { ok: false, problem: 'the service answered a file' };
    if (exchange.kind !== 'answer') return { ok: false, problem: exchange.reason };
    const { status } = exchange.head;
    if (status < 200 || status > 299) return { ok: false, problem: `the service answered ${status}` };
    const parsed = parseStrictJson(exchange.body);
    return parsed.ok ? { ok: true, body: parsed.value } : { ok: false, problem: parsed.problem };
  } finally {
    client.close();
  }
}
