/**
 * Operations that the interface mentions without a path (warrants, administrative processes, monitors by id …). Configuration
 * gives method and path; this file makes catalogue rows of them. Pure.
 */
import type { Operation, OperationParameter } from './operation.js';

/** One entry of `operations` in the configuration file. */
export interface ExtraOperation extends Pick<Operation<string>, 'id' | 'method' | 'path' | 'eligible202'> {
  /** Whether a call costs money; without a rule of the interface, `per call` is the safe choice. */
  readonly charge: 'free' | 'presumed free' | 'per call';
}

/** Built-in operations together with the configured ones. */
export interface Catalogue {
  /** All of them: the built-in ones, then the configured ones. */
  readonly operations: readonly Operation<string>[];
  /** Throws `tramita: …` on an id that is neither built in nor configured. */
  operationOf(id: string): Operation<string>;
  /** Whether an operation with this id is built in or configured. */
  has(id: string): boolean;
}

/** Throws `tramita: …` when an extra operation has the id of another one, or the method and path of another one. */
export function withExtraOperations(builtIn: readonly Operation[], extra: readonly ExtraOperation[]): Catalogue {
  const byId = new Map<string, Operation<string>>(builtIn.map((operation) => [operation.id, operation]));
  const routes = new Map(builtIn.map((operation) => [routeKey(operation), operation.id as string]));
  for (const given of extra) {
    if (byId.has(given.id)) throw new Error(`tramita: operations: "${given.id}" exists already; choose another id`);
    const twin = routes.get(routeKey(given));
    if (twin !== undefined) {
      throw new Error(
        `tramita: operations: "${given.id}" is ${given.method} ${given.path}, which is "${twin}" already`,
      );
    }
    byId.set(given.id, rowOf(given));
    routes.set(routeKey(given), given.id);
  }
  return {
    operations: [...byId.values()],
    operationOf: (id) => {
      const operation = byId.get(id);
      if (operation === undefined) {
        throw new Error(`tramita: operation "${id}" is not in the catalogue; "tramita operations" lists them`);
      }
      return operation;
    },
    has: (id) => byId.has(id),
  };
}

/** The name of a path parameter gives its kind. Query and body are open, because their members are unknown. */
function rowOf({ id, method, path, charge, eligible202 }: ExtraOperation): Operation<string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return {
    id,
    method,
    path,
    parameters: names.map((name): OperationParameter => ({ name, in: 'path', kind: kindOf(name), required: true })),
    filters: [],
    open: { query: true, body: method === 'POST' || method === 'PUT' },
    flags: [],
    charge,
    eligible202,
    announcedByWebhook: false,
    paging: method === 'GET' ? 'page' : 'none',
    answer: 'envelope',
    evidence: method === 'DELETE' ? 'idempotent' : 'none',
    source: 'configuration, operations',
  };
}

function kindOf(name: string): OperationParameter['kind'] {
  if (name === 'cnj') return 'cnj';
  return name === 'requestId' ? 'request id' : 'id';
}

function routeKey({ method, path }: Pick<Operation<string>, 'method' | 'path'>): string {
  return `${method} ${path.replace(/\{\w+\}/g, '{}')}`;
}
