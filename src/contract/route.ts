/**
 * Operation + arguments → the request line, query and body. Pure. Path values are checked by kind and percent-encoded:
 * an identifier from outside can never change the path.
 */
import type { FlagGap, Gaps } from './gaps.js';
import type { FlagName, Operation, OperationParameter } from './operation.js';
import { parseCnj, parseRequestId } from './values/index.js';

export type ParameterValue = string | number;
export type Parameters = Readonly<Record<string, ParameterValue>>;

export interface ServiceRequest {
  readonly method: 'GET' | 'POST';
  /** Path with query, beginning with `/`. */
  readonly target: string;
  /** JSON text; present on every POST, because services of this kind answer 400 to an empty body (domain.md 7.2). */
  readonly body?: string;
}

/** A message when `params` or `flags` are not what the operation takes; undefined when they are. */
export function argumentsProblem(
  operation: Operation,
  params: Parameters,
  flags: readonly FlagName[],
): string | undefined {
  const known = new Map(operation.parameters.map((parameter) => [parameter.name, parameter]));
  for (const name of Object.keys(params)) {
    if (!known.has(name)) {
      return `params.${name} is not a parameter of ${operation.id} (it takes: ${[...known.keys()].join(', ') || 'none'})`;
    }
  }
  for (const parameter of operation.parameters) {
    const problem = valueProblem(parameter, params[parameter.name]);
    if (problem !== undefined) return `params.${parameter.name} ${problem}`;
  }
  const alien = flags.find((flag) => !operation.flags.includes(flag));
  return alien === undefined ? undefined : `flag ${alien} is not understood by ${operation.id}`;
}

/** Throws when {@link argumentsProblem} has something to say: callers check first. */
export function buildRequest(
  operation: Operation,
  args: { readonly params: Parameters; readonly flags: readonly FlagName[] },
  gaps: Pick<Gaps, 'documentsFlag' | 'callbackFlag'>,
): ServiceRequest {
  const problem = argumentsProblem(operation, args.params, args.flags);
  if (problem !== undefined) throw new Error(`tramita: ${problem}`);
  const path = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(args.params[name] ?? ''),
  );
  const set = args.flags.map((flag): FlagGap => (flag === 'documents' ? gaps.documentsFlag : gaps.callbackFlag));
  const query = [
    ...operation.parameters
      .filter((parameter) => parameter.in === 'query' && args.params[parameter.name] !== undefined)
      .map((parameter): [string, ParameterValue] => [parameter.name, args.params[parameter.name] ?? '']),
    ...set
      .filter((flag) => flag.in === 'query')
      .map((flag): [string, ParameterValue] => [flag.name, String(flag.true)]),
  ]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
  const target = query === '' ? path : `${path}?${query}`;
  if (operation.method === 'GET') return { method: 'GET', target };
  const body = Object.fromEntries(set.filter((flag) => flag.in === 'body').map((flag) => [flag.name, flag.true]));
  return { method: operation.method, target, body: JSON.stringify(body) };
}

function valueProblem(parameter: OperationParameter, value: ParameterValue | undefined): string | undefined {
  if (value === undefined) return parameter.required ? 'is missing' : undefined;
  switch (parameter.kind) {
    case 'cnj': {
      const parsed = parseCnj(value);
      return parsed.ok ? undefined : parsed.problem;
    }
    case 'request id':
      return parseRequestId(value) === undefined ? 'must be a UUID' : undefined;
    case 'positive integer':
      return Number.isSafeInteger(Number(value)) && Number(value) > 0 ? undefined : 'must be a positive integer';
  }
}
