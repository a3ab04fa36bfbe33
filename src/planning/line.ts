/** A charged call as it is summed up: what would become of it, how often, and at what price. Pure. */
import { listedPrice, type Amount, type JsonObject, type Operation, type Parameters } from '../contract/index.js';
import type { Foreseen } from '../ledger/index.js';
import type { CallPlan, CallState, PriceSource } from './types.js';

export interface Line extends Omit<CallPlan, 'price'> {
  readonly state: CallState;
  /** Of one call; null: nobody knows it. */
  readonly price: Amount | null;
  /** What the ledger holds for one call while its charge is unknown. */
  readonly reserved: Amount;
  /** The price is a bound and no price: the highest charge seen, of calls about more or fewer things. */
  readonly isBound: boolean;
}

export interface Priced {
  readonly price: Amount | null;
  readonly priceFrom: PriceSource;
  readonly isBound: boolean;
}

/** How many things the price of a call counts; undefined where only its answer says so. */
function unitsOf(
  operation: string,
  { params, body }: { readonly params: Parameters; readonly body?: JsonObject | undefined },
): number | undefined {
  switch (operation) {
    // By registration, as observed.
    case 'listNotices':
      return String(params['oabs'] ?? '').split(',').length;
    case 'createNoticeMonitor':
      return Array.isArray(body?.['oabs']) ? (body['oabs'] as unknown[]).length : 1;
    // By result, as observed.
    case 'listCasesByDocument':
      return undefined;
    default:
      return 1;
  }
}

/** A higher charge than the stated price was seen: the next call may cost that again. */
export function priceOf(
  operation: Operation<string>,
  call: { readonly params: Parameters; readonly body?: JsonObject | undefined },
  { stated, highestCharge }: Pick<Foreseen, 'stated' | 'highestCharge'>,
): Priced {
  const units = unitsOf(operation.id, call);
  if (units === undefined) return { price: null, priceFrom: 'default', isBound: false };
  const counted = operation.id === 'listNotices' || operation.id === 'createNoticeMonitor';
  const toldPrice = stated === undefined ? undefined : ((stated * units) as Amount);
  if (toldPrice !== undefined && (counted || highestCharge === null || highestCharge <= toldPrice)) {
    const priceFrom = stated === listedPrice(operation) ? 'interface' : 'configuration';
    return { price: toldPrice, priceFrom, isBound: false };
  }
  if (highestCharge === null) return { price: null, priceFrom: 'default', isBound: false };
  return { price: (highestCharge * units) as Amount, priceFrom: 'ledger', isBound: counted };
}
