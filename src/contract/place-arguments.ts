/**
 * Checks arguments and decides where each of them goes. Pure. Refuses what the operation does not take before anything is
 * sent, because a bad input costs money.
 */
import type { Json, JsonObject } from './json.js';
import type { FlagName, Method, Operation, OperationParameter } from './operation.js';
import { shownName } from './values/personal-numbers.js';
import { readValue, seenValue, type Parameters, type ParameterValue, type WireValue } from './parameter-kinds.js';

/** What a call is made with. */
export interface CallArguments {
  /** By the service's names, gap names as configured; each goes to path, query or body as the catalogue says. */
  readonly params: Parameters;
  /** Switches to turn on; only those that the operation has. */
  readonly flags: readonly FlagName[];
  /** Members of the JSON body; all of them where the interface does not show them (radars, case monitors). */
  readonly body?: JsonObject;
}

/** One argument in its place, in the one spelling that is sent; free members of a body are as given. */
export type Placed =
  | { readonly in: 'path' | 'query'; readonly name: string; readonly value: string }
  | { readonly in: 'body'; readonly name: string; readonly value: Json };

export type Placing =
  { readonly ok: true; readonly placed: readonly Placed[] } | { readonly ok: false; readonly problem: string };

interface Given {
  readonly where: 'params' | 'body';
  readonly name: string;
  readonly value: Json | ParameterValue;
}

/** `operation` has its gaps applied. Arguments come back in the order of the catalogue: equal calls give equal bytes. */
export function placeArguments(operation: Operation<string>, { params, flags, body = {} }: CallArguments): Placing {
  const given: readonly Given[] = [
    ...Object.entries(params).map(([name, value]): Given => ({ where: 'params', name, value })),
    ...Object.entries(body).map(([name, value]): Given => ({ where: 'body', name, value })),
  ];
  const placed = new Map<string, Placed>();
  for (const argument of given) {
    const read = placeOne(operation, argument);
    if (!read.ok) return refused(`${argument.where}.${shownName(argument.name)} ${read.problem}`);
    if (placed.has(read.placed.name)) return refused(`${argument.where}.${shownName(argument.name)} is given twice`);
    placed.set(read.placed.name, read.placed);
  }
  const missing = missingProblem(operation, placed);
  if (missing !== undefined) return refused(missing);
  const unknownFlag = flags.find((flag) => !operation.flags.includes(flag));
  if (unknownFlag !== undefined) return refused(`flag ${unknownFlag} is not understood by ${operation.id}`);

  const order = new Map(operation.parameters.map(({ name }, place) => [name, place]));
  const rank = ({ name }: Placed): number => order.get(name) ?? order.size;
  return { ok: true, placed: [...placed.values()].sort((left, right) => rank(left) - rank(right)) };
}

export function takesBody(method: Method): boolean {
  return method === 'POST' || method === 'PUT';
}

/** The parameter that `name` means in `params`: by the service's name, or by our name of a filter. */
export function parameterNamed(operation: Operation<string>, name: string): OperationParameter | undefined {
  return operation.parameters.find((parameter) => parameter.name === name || parameter.filter === name);
}

type PlacedOne = { readonly ok: true; readonly placed: Placed } | { readonly ok: false; readonly problem: string };

function placeOne(operation: Operation<string>, { where, name, value }: Given): PlacedOne {
  const parameter = parameterNamed(operation, name);
  if (where === 'body') {
    if (!takesBody(operation.method)) return refused(`cannot be sent: a ${operation.method} has no body`);
    if (parameter !== undefined && parameter.in !== 'body') return refused('belongs in params');
    if (parameter === undefined && !operation.open.body) return refused(unknownProblem(operation));
    if (parameter === undefined) return { ok: true, placed: { in: 'body', name, value } };
  }
  if (parameter === undefined) return placeOpen(operation, name, value as ParameterValue);
  const read = isEmptyList(parameter, value)
    ? { ok: true as const, value: [] }
    : readValue(parameter.kind, value as ParameterValue, parameter.values);
  if (!read.ok) return refused(`${read.problem}; seen: ${seenValue(parameter.kind, value)}`);
  return { ok: true, placed: placedAt(parameter.in, parameter.name, read.value) };
}

/** In a body an empty list asks for no terms or gazettes at all. A query cannot express that. */
function isEmptyList({ in: place, kind }: OperationParameter, value: unknown): boolean {
  return place === 'body' && (kind === 'text list' || kind === 'id list') && Array.isArray(value) && value.length === 0;
}

/** Places an undeclared query parameter, if the operation accepts them. */
function placeOpen(operation: Operation<string>, name: string, value: ParameterValue): PlacedOne {
  if (operation.filters.some((gap) => gap.name === name)) {
    return refused(
      'is a filter whose parameter the interface does not show; ' +
        `name it in the configuration file as gaps.filters.${operation.id}.${name}`,
    );
  }
  if (!operation.open.query) return refused(unknownProblem(operation) + unnamedFilters(operation));
  const kind = Array.isArray(value) ? 'text list' : 'text';
  const read = readValue(kind, typeof value === 'boolean' ? String(value) : value);
  return read.ok
    ? { ok: true, placed: placedAt('query', name, read.value) }
    : refused(`${read.problem}; seen: ${seenValue(kind, value)}`);
}

/** A list becomes comma-separated text, except in the body, where it stays a list. */
function placedAt(place: Placed['in'], name: string, value: WireValue): Placed {
  return place === 'body' ? { in: place, name, value } : { in: place, name, value: String(value) };
}

function missingProblem(operation: Operation<string>, placed: ReadonlyMap<string, Placed>): string | undefined {
  const missing = operation.parameters.find(({ name, required }) => required && !placed.has(name));
  if (missing !== undefined) return `params.${missing.name} is missing`;
  const sets = operation.needsOneOf;
  if (sets === undefined || sets.some((set) => set.every((name) => placed.has(name)))) return undefined;
  return `${operation.id} needs ${sets.map((set) => set.join(' and ')).join(', or ')}`;
}

function unknownProblem({ id, parameters }: Operation<string>): string {
  return `is not a parameter of ${id} (it takes: ${parameters.map(({ name }) => name).join(', ') || 'none'})`;
}

/** The argument may be one of these: the caller may know a parameter that the interface does not show. */
function unnamedFilters({ id, filters, parameters }: Operation<string>): string {
  const unnamed = filters.map(({ name }) => name).filter((name) => parameters.every(({ filter }) => filter !== name));
  if (unnamed.length === 0) return '';
  const cure = `name them in the configuration file as gaps.filters.${id}`;
  return `, nor that of a filter whose parameter the interface does not show: ${unnamed.join(', ')}; ${cure}`;
}

function refused(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}
