/**
 * What a charged call is about. Equal calls have equal subjects, whatever run asks and whatever flags it sets: the token
 * is keyed, so a row tells nothing about a person. Pure apart from the given token function.
 */
import { operationOf, parseCnj, type OperationId, type Parameters } from '../contract/index.js';

/** Keyed HMAC over canonical JSON; `kind` keeps tokens of different things apart. */
export type Token = (kind: string, value: unknown) => string;

export function subjectOf(token: Token, operation: OperationId, params: Parameters): string {
  return token('subject', { operation, params: canonicalParams(operation, params) });
}

/** One spelling of each value: `1` and `"1"`, the masked and the bare case number, are the same call. */
function canonicalParams(operation: OperationId, params: Parameters): Readonly<Record<string, string>> {
  const kinds = new Map(operationOf(operation).parameters.map((parameter) => [parameter.name, parameter.kind]));
  const names = Object.keys(params).sort();
  return Object.fromEntries(names.map((name) => [name, canonicalValue(kinds.get(name), String(params[name]))]));
}

function canonicalValue(kind: string | undefined, value: string): string {
  if (kind === 'request id') return value.toLowerCase();
  if (kind !== 'cnj') return value;
  const parsed = parseCnj(value);
  return parsed.ok ? parsed.cnj : value;
}
