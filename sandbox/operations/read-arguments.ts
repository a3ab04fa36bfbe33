/**
 * Raw path, query and body → the arguments of an operation, checked by the catalogue's parameter kinds. Pure. Flags are
 * taken from the query or the body, under either of their names, in every form of "on": the interface shows neither.
 */
import { isJsonObject, parseCnj, parseRequestId, type Operation } from '../../src/contract/index.js';
import { refuse, type Answer } from '../answer.js';
import type { OperationCall } from './types.js';

export interface RawArguments {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

type Arguments = Pick<OperationCall, 'params' | 'flags'>;
export type ArgumentsRead =
  { readonly ok: true; readonly value: Arguments } | { readonly ok: false; readonly answer: Answer };

const DOCUMENTS_NAMES = ['documentos_publicos'];
const CALLBACK_NAMES = ['enviar_callback', 'send_callback'];

export function readArguments(operation: Operation, raw: RawArguments, emptyBody: 'accept' | 'refuse'): ArgumentsRead {
  const body = readBody(operation, raw.body, emptyBody);
  if (body === undefined) return wrong(400, 'INVALID_BODY', 'The body must be a JSON object.');
  const params: Record<string, string> = {};
  for (const parameter of operation.parameters) {
    const value = (parameter.in === 'path' ? raw.path : raw.query)[parameter.name];
    if (value === undefined && !parameter.required) continue;
    const text = typeof value === 'string' ? value : '';
    switch (parameter.kind) {
      case 'cnj': {
        const parsed = parseCnj(text);
        if (!parsed.ok) return wrong(422, 'INVALID_CNJ', `The case number ${parsed.problem}.`);
        params[parameter.name] = parsed.cnj;
        break;
      }
      case 'request id':
        params[parameter.name] = parseRequestId(text) ?? '';
        break;
      case 'positive integer':
        if (!/^[1-9]\d{0,8}$/.test(text)) {
          return wrong(422, 'INVALID_PARAMETER', `${parameter.name} must be a positive integer.`);
        }
        params[parameter.name] = text;
    }
  }
  const isOn = (names: readonly string[]): boolean => names.some((name) => on(raw.query[name]) || on(body[name]));
  return { ok: true, value: { params, flags: { documents: isOn(DOCUMENTS_NAMES), callback: isOn(CALLBACK_NAMES) } } };
}

/** Undefined when a POST carries something that is not a JSON object. */
function readBody(
  operation: Operation,
  body: Buffer,
  emptyBody: 'accept' | 'refuse',
): Readonly<Record<string, unknown>> | undefined {
  if (operation.method === 'GET') return {};
  if (body.length === 0) return emptyBody === 'accept' ? {} : undefined;
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function on(value: unknown): boolean {
  return value === 1 || value === '1' || value === true || value === 'true';
}

function wrong(status: number, code: string, message: string): ArgumentsRead {
  return { ok: false, answer: refuse(status, code, message) };
}
