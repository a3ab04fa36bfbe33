/**
 * Raw path, query and body → the arguments of an operation. Pure. It checks the path by the catalogue's parameter
 * kinds, and the form of query and body; handlers check the rest (`reading.ts`). Flags are read from the query or the
 * body, under either of their names, in every form of "on": the interface shows neither.
 */
import { isJsonObject, parseCnj, parseRequestId, type JsonObject, type Operation } from '../../src/contract/index.js';
import { refuse, type Answer } from '../answer.js';
import type { Arguments } from '../state/works.js';

export interface RawArguments {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

export type ArgumentsRead =
  { readonly ok: true; readonly value: Arguments } | { readonly ok: false; readonly answer: Answer };

const DOCUMENTS_NAMES = ['documentos_publicos'];
const CALLBACK_NAMES = ['enviar_callback', 'send_callback'];

export function readArguments(operation: Operation, raw: RawArguments, emptyBody: 'accept' | 'refuse'): ArgumentsRead {
  const body = readJsonBody(operation, raw.body, emptyBody);
  if (body === undefined) return wrong(400, 'INVALID_BODY', 'The body must be a JSON object.');
  const query: Record<string, string> = {};
  for (const [name, value] of Object.entries(raw.query)) {
    if (typeof value !== 'string')
      return wrong(400, 'REPEATED_PARAMETER', 'A query parameter is given more than once.');
    query[name] = value;
  }
  const params: Record<string, string> = {};
  for (const parameter of operation.parameters.filter((each) => each.in === 'path')) {
    const text = raw.path[parameter.name] ?? '';
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
      default:
        params[parameter.name] = text;
    }
  }
  const isOn = (names: readonly string[]): boolean => names.some((name) => on(query[name]) || on(body[name]));
  const flags = { documents: isOn(DOCUMENTS_NAMES), callback: isOn(CALLBACK_NAMES) };
  return { ok: true, value: { params, query, body, flags } };
}

/** Undefined when the body of a POST or PUT is not a JSON object. */
function readJsonBody(operation: Operation, body: Buffer, emptyBody: 'accept' | 'refuse'): JsonObject | undefined {
  const method: string = operation.method;
  if (method !== 'POST' && method !== 'PUT') return {};
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
