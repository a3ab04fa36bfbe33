/** A stock of calls, laid in before any fault is armed: preparations must not be hit by what is meant for flows. */
import {
  buildRequest,
  operationOf,
  type Gaps,
  type JsonObject,
  type OperationId,
  type Parameters,
} from '../../src/contract/index.js';
import { aboutCall, aboutTarget } from '../about.js';
import { CHARGED, PAGED, type CallArguments } from './arguments.js';
import type { Service } from '../service.js';

/** One logical call (or two pages) and what the charge book will call it. */
export interface Ask {
  readonly service: Service;
  readonly operation: OperationId;
  readonly type: 'callOperation' | 'collectPages';
  readonly input: JsonObject;
  /** By page. */
  readonly abouts: readonly string[];
}

type Place = 'first' | 'page';

export interface Stock {
  /** `count` more. */
  lay(order: {
    readonly service: Service;
    readonly operation: OperationId;
    readonly place: Place;
    readonly count: number;
  }): Promise<void>;
  take(service: Service, operation: OperationId, place: Place): Ask;
}

/** Calls are unlike each other, and unlike those of a stock that begins `after` another place. */
export function createStock(gaps: Gaps, after = 0): Stock {
  const shelves = new Map<string, Ask[]>();
  const places = new Map<OperationId, number>();
  let unique = after;
  const make = (operation: OperationId, service: Service): CallArguments | Promise<CallArguments> => {
    const maker = CHARGED[operation];
    if (maker === undefined) throw new Error(`soak: ${operation} is not in the matrix`);
    const place = places.get(operation) ?? 0;
    places.set(operation, place + 1);
    unique += 1;
    return maker({ place, unique }, service);
  };
  const shelf = (service: Service, operation: OperationId, place: Place): Ask[] => {
    const name = `${service.name} ${operation} ${place}`;
    const found = shelves.get(name) ?? [];
    shelves.set(name, found);
    return found;
  };
  const makeFirst = async (service: Service, operation: OperationId): Promise<Ask> => {
    const made = await make(operation, service);
    return {
      service,
      operation,
      type: 'callOperation',
      input: inputOf(operation, made),
      abouts: [about(operation, made)],
    };
  };
  /** Undefined when there is no second page. */
  const makePaged = async (service: Service, operation: OperationId): Promise<Ask | undefined> => {
    const made = await make(operation, service);
    const paged = { ...made, params: { ...made.params, ...PAGED[operation] } };
    const second = await secondPageOf(service, operation, paged);
    if (second === undefined) return undefined;
    const abouts = [about(operation, paged), aboutTarget(operation, second, gaps)];
    return { service, operation, type: 'collectPages', input: { ...inputOf(operation, paged), maxPages: 2 }, abouts };
  };
  const secondPageOf = async (
    service: Service,
    operation: OperationId,
    call: CallArguments,
  ): Promise<string | undefined> => {
    const { target } = buildRequest(operationOf(operation), { params: sent(call.params), flags: [] }, gaps);
    const { json } = await service.prepare('GET', target);
    const { links } = (json as { data: { links?: { next: { href: string } | null } } }).data;
    if (links?.next === undefined || links.next === null) return undefined;
    const url = new URL(links.next.href);
    return url.pathname + url.search;
  };
  const about = (operation: OperationId, { params, body }: CallArguments): string =>
    aboutCall({ operation, params: sent(params), ...(body === undefined ? {} : { body }) }, gaps);

  return {
    lay: async ({ service, operation, place, count }) => {
      const asks = shelf(service, operation, place);
      let failures = 0;
      for (let left = count; left > 0;) {
        const ask = await (place === 'first' ? makeFirst(service, operation) : makePaged(service, operation));
        if (ask !== undefined) {
          asks.push(ask);
          left -= 1;
        } else if ((failures += 1) > 50 + count) {
          throw new Error(`soak: ${operation} of ${service.name} has no second page`);
        }
      }
    },
    take: (service, operation, place) => {
      const ask = shelf(service, operation, place).pop();
      if (ask === undefined) throw new Error(`soak: no call of ${operation} (${place}) is left in stock`);
      return ask;
    },
  };
}

/** Members that are for the flow and never sent. */
function sent({ evenIfNotRefreshed: _own, ...params }: Parameters): Parameters {
  return params;
}

function inputOf(operation: OperationId, { params, body }: CallArguments): JsonObject {
  return { operation, params: params, ...(body === undefined ? {} : { body }) };
}
