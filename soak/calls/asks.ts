/**
 * Calls to be asked for, each unlike every other. All are made before any fault is armed: preparations must not be hit by what
 * is meant for flows.
 */
import {
  buildRequest,
  operationOf,
  type Gaps,
  type JsonObject,
  type OperationId,
  type Parameters,
  present,
} from '../../src/contract/index.js';
import { aboutCall, aboutTarget } from '../about.js';
import type { Service } from '../service.js';
import { CHARGED, PAGED, type CallArguments } from './arguments.js';

/** One logical call (or two pages) and what the charge book will call it. */
export interface Ask {
  readonly service: Service;
  readonly operation: OperationId;
  readonly type: 'callOperation' | 'collectPages';
  readonly input: JsonObject;
  /** By page. */
  readonly abouts: readonly string[];
}

export interface Asks {
  /** So many calls of an operation; `paged`: collections of two pages. */
  make(order: {
    readonly service: Service;
    readonly operation: OperationId;
    readonly count: number;
    readonly paged?: boolean;
  }): Promise<readonly Ask[]>;
}

/** Tries beyond the wanted collections: one may have no second page. */
const SPARE_TRIES = 50;

/** Calls are unlike each other, and unlike those of asks that begin `after` another place. */
export function createAsks(gaps: Gaps, after = 0): Asks {
  const places = new Map<OperationId, number>();
  let unique = after;
  const argumentsOf = (operation: OperationId, service: Service): CallArguments | Promise<CallArguments> => {
    const maker = CHARGED[operation];
    if (maker === undefined) throw new Error(`soak: ${operation} is not in the matrix`);
    const place = places.get(operation) ?? 0;
    places.set(operation, place + 1);
    unique += 1;
    return maker({ place, unique }, service);
  };
  const about = (operation: OperationId, { params, body }: CallArguments): string =>
    aboutCall({ operation, params: sent(params), ...present({ body }) }, gaps);

  const makeOne = async (service: Service, operation: OperationId): Promise<Ask> => {
    const call = await argumentsOf(operation, service);
    const abouts = [about(operation, call)];
    return { service, operation, type: 'callOperation', input: { operation, ...call }, abouts };
  };
  /** Undefined when there is no second page. */
  const makePaged = async (service: Service, operation: OperationId): Promise<Ask | undefined> => {
    const { params, ...call } = await argumentsOf(operation, service);
    const paged = { ...call, params: { ...params, ...PAGED[operation] } };
    const { target } = buildRequest(operationOf(operation), { params: sent(paged.params), flags: [] }, gaps);
    const { json } = await service.prepare('GET', target);
    const { links } = (json as { data: { links?: { next: { href: string } | null } } }).data;
    if (links?.next === undefined || links.next === null) return undefined;
    const { pathname, search } = new URL(links.next.href);
    const abouts = [about(operation, paged), aboutTarget(operation, pathname + search, gaps)];
    return { service, operation, type: 'collectPages', input: { operation, ...paged, maxPages: 2 }, abouts };
  };

  return {
    make: async ({ service, operation, count, paged = false }) => {
      const asks: Ask[] = [];
      for (let tries = 0; asks.length < count; tries += 1) {
        if (tries > SPARE_TRIES + 2 * count)
          throw new Error(`soak: ${operation} of ${service.name} has no second page`);
        const ask = await (paged ? makePaged(service, operation) : makeOne(service, operation));
        if (ask !== undefined) asks.push(ask);
      }
      return asks;
    },
  };
}

/** Without members that are for the flow and never sent. */
function sent({ evenIfNotRefreshed: _own, ...params }: Parameters): Parameters {
  return params;
}
