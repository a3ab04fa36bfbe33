/** Members that hold arguments of an operation: their form and size. What an operation takes is the catalogue's business. Pure. */
import { isJsonObject, type JsonObject } from '../../contract/json.js';
import type { Parameters } from '../../contract/route.js';
import { parseCnj } from '../../contract/values/index.js';
import { checkJson, problem } from './members.js';

const OPERATION_ID = /^[A-Za-z][\w-]{0,59}$/;
const MAX_ARGUMENTS = 100;
/** Of the JSON text: arguments are part of every history event of their call. */
const MAX_JSON = 64_000;

export function operationId(members: Record<string, unknown>): string {
  const { operation } = members;
  if (typeof operation !== 'string' || !OPERATION_ID.test(operation)) {
    throw problem('operation', 'must be the id of an operation ("tramita operations" lists them)', operation ?? null);
  }
  return operation;
}

/** `params` of the input: texts, numbers, true/false, and lists of texts and numbers. */
export function parameters(members: Record<string, unknown>): Parameters {
  const params = members['params'] ?? {};
  if (!isJsonObject(params)) throw problem('params', 'must be an object of the parameters by their names', params);
  const entries = Object.entries(params);
  if (entries.length > MAX_ARGUMENTS) {
    throw problem('params', `must have at most ${MAX_ARGUMENTS} members`, entries.length);
  }
  for (const [name, value] of entries) {
    const fine = isScalar(value) || (Array.isArray(value) && value.every((item) => isScalar(item) && item !== true));
    if (!fine) throw problem(`params.${name.slice(0, 40)}`, 'must be text, a number, true, false or a list', value);
  }
  checkJson('params', params, MAX_JSON);
  // One spelling, so that equal calls have equal ids; a number that is none is refused with the other arguments.
  const cnj = parseCnj(params['cnj']);
  return { ...(params as Parameters), ...(cnj.ok ? { cnj: cnj.cnj } : {}) };
}

/** `body` of the input, as it will be sent. */
export function jsonBody(members: Record<string, unknown>): JsonObject | undefined {
  const { body } = members;
  if (body === undefined) return undefined;
  if (!isJsonObject(body)) throw problem('body', 'must be one JSON object', body);
  checkJson('body', body, MAX_JSON);
  return body;
}

function isScalar(value: unknown): boolean {
  return (
    typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  );
}
