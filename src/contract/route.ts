/**
 * Builds the request line, query and body of an operation with its arguments. Pure. Values are checked by kind, brought into
 * one spelling and percent-encoded: an identifier from outside can never change the path.
 */
import { applyGaps } from './apply-gaps.js';
import { DEFAULT_GAPS, type FlagGap, type Gaps } from './gaps.js';
import type { Json, JsonObject } from './json.js';
import type { FlagName, Method, Operation } from './operation.js';
import { readValue, type Parameters } from './parameter-kinds.js';
import { parameterNamed, placeArguments, takesBody, type CallArguments, type Placed } from './place-arguments.js';

export type { Parameters, ParameterValue } from './parameter-kinds.js';
export type { CallArguments } from './place-arguments.js';

/** A request as it is sent. */
export interface ServiceRequest {
  /** HTTP method. */
  readonly method: Method;
  /** Id of the operation, for logs and traces: unlike the target it holds no argument. */
  readonly operation?: string;
  /** Path with query, beginning with `/`. */
  readonly target: string;
  /** JSON text; present on every POST and PUT, because services of this kind answer 400 to an empty body. */
  readonly body?: string;
}

/**
 * A message when the arguments are not what the operation takes; undefined when they are. Pass the `gaps` that
 * {@link buildRequest} will get; without them the default names apply.
 */
export function argumentsProblem(
  operation: Operation<string>,
  params: Parameters,
  flags: readonly FlagName[],
  more: { readonly body?: JsonObject; readonly gaps?: Gaps } = {},
): string | undefined {
  const { gaps = DEFAULT_GAPS, body = {} } = more;
  const placing = placeArguments(applyGaps(operation, gaps), { params, flags, body });
  return placing.ok ? undefined : placing.problem;
}

/** Throws when {@link argumentsProblem} has something to say: callers check first. */
export function buildRequest(operation: Operation<string>, args: CallArguments, gaps: Gaps): ServiceRequest {
  const named = applyGaps(operation, gaps);
  const placing = placeArguments(named, args);
  if (!placing.ok) throw new Error(`tramita: ${placing.problem}`);
  const { method, id } = named;
  const all = [...placing.placed, ...args.flags.map((flag) => placeFlag(method, flagGap(flag, gaps)))];
  const inUrl = all.filter((argument) => argument.in !== 'body');
  const inBody = all.filter((argument) => argument.in === 'body');

  const path = named.path.replace(/\{(\w+)\}/g, (_all, wanted: string) =>
    encodeURIComponent(inUrl.find((argument) => argument.in === 'path' && argument.name === wanted)?.value ?? ''),
  );
  const query = inUrl
    .filter((argument) => argument.in === 'query')
    .map(({ name, value }) => `${encodeQuery(name)}=${encodeQuery(value)}`)
    .join('&');
  const target = query === '' ? path : `${path}?${query}`;
  if (!takesBody(method)) return { operation: id, method, target };
  const members = inBody.map(({ name, value }): [string, Json] => [name, value]);
  return { operation: id, method, target, body: JSON.stringify(Object.fromEntries(members)) };
}

/**
 * Parameters under the service's names and in the one spelling that is sent, so that equal calls compare equal. A value
 * that the operation would refuse stays as it is.
 */
export function canonicalParameters(operation: Operation<string>, params: Parameters, gaps: Gaps): Parameters {
  const named = applyGaps(operation, gaps);
  return Object.fromEntries(
    Object.entries(params).map(([given, value]) => {
      const parameter = parameterNamed(named, given);
      if (parameter === undefined) return [given, value];
      const read = readValue(parameter.kind, value, parameter.values);
      return [parameter.name, read.ok ? read.value : value];
    }),
  );
}

function flagGap(flag: FlagName, gaps: Gaps): FlagGap {
  return flag === 'documents' ? gaps.documentsFlag : gaps.callbackFlag;
}

/** A request without a body has its flags in the query, wherever configuration puts them. */
function placeFlag(method: Method, flag: FlagGap): Placed {
  return takesBody(method) && flag.in === 'body'
    ? { in: 'body', name: flag.name, value: flag.true }
    : { in: 'query', name: flag.name, value: String(flag.true) };
}

/** `:` and `,` may be in a query as they are; the interface writes `oabs` with them. */
function encodeQuery(text: string): string {
  return encodeURIComponent(text).replace(/%3A/g, ':').replace(/%2C/g, ',');
}
