/**
 * The name that the charge book gives to a call (`about`: a hash of operation and arguments), computed from the request that
 * will be sent. So a charge whose answer was lost can be assigned to the one call that caused it. Pure.
 */
import { createHash } from 'node:crypto';
import {
  applyGaps,
  buildRequest,
  operationOf,
  type Gaps,
  type JsonObject,
  type OperationId,
  present,
} from '../src/contract/index.js';
import type { Parameters } from '../src/contract/index.js';

interface AskedCall {
  readonly operation: OperationId;
  readonly params: Parameters;
  readonly body?: JsonObject;
  /** Whether the account expects webhooks: calls that a webhook may announce then ask for one. */
  readonly webhooks?: boolean;
}

/** Name of a call, by its first request. */
export function aboutCall({ operation: id, params, body, webhooks = false }: AskedCall, gaps: Gaps): string {
  const operation = operationOf(id);
  const flags = webhooks && operation.announcedByWebhook ? (['callback'] as const) : [];
  const request = buildRequest(operation, { params, flags, ...present({ body }) }, gaps);
  return aboutTarget(id, request.target, gaps, JSON.parse(request.body ?? '{}') as JsonObject);
}

/** Name of a call, by the request line, e.g. of a link to a following page. */
export function aboutTarget(operation: OperationId, target: string, gaps: Gaps, body: JsonObject = {}): string {
  const [path = '', query = ''] = target.split('?');
  const names: string[] = [];
  const pattern = applyGaps(operationOf(operation), gaps).path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    names.push(name);
    return '([^/]+)';
  });
  const values = new RegExp(`^${pattern}$`).exec(path)?.slice(1) ?? [];
  const params = Object.fromEntries(names.map((name, place) => [name, decodeURIComponent(values[place] ?? '')]));
  const facts = [operation, params, Object.fromEntries(new URLSearchParams(query)), body];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}
