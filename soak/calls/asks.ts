/**
 * Prepares calls that all differ from each other. All are made before any fault is armed, so that no fault meant for a flow
 * hits a preparation.
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

/** One logical call (or two pages), and its name in the charge book. */
export interface Ask {
  readonly service: Service;
  readonly operation: OperationId;
  readonly type: 'callOperation' | 'collectPages';
  readonly input: JsonObject;
  /** One name per page. */
  readonly abouts: readonly string[];
}

export interface Asks {
  /** Makes `count` calls of an operation; `paged`: collections of two pages. */
  make(order: {
    readonly service: Service;
    readonly operation: OperationId;
    readonly count: number;
    readonly paged?: boolean;
  }): Promise<readonly Ask[]>;
}

/** Extra attempts beyond the wanted collections: some have no second page. */
const SPARE_TRIES = 50;

/** All calls differ from each other. `after`: how many numbers earlier `Asks` have used up. */
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

/** Removes members that the flow reads but never sends. */
function sent({ evenIfNotRefreshed: _own, ...params }: Parameters): Parameters {
  return params;
}
