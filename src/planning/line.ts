/** A line of a bill: one charged call, or several alike, with its state, its counts and its price. Pure. */
import { listedPrice, type Amount, type JsonObject, type Operation, type Parameters } from '../contract/index.js';
import type { Foreseen } from '../ledger/index.js';
import type { CallPlan, CallState, PriceSource } from './types.js';

export interface Line extends Omit<CallPlan, 'price'> {
  readonly state: CallState;
  /** Of one call; null when it is not known. */
  readonly price: Amount | null;
  /** What the ledger reserves for one call while its charge is unknown. */
  readonly reserved: Amount;
  /** The price is only a bound: the highest charge seen, of calls that may have counted more or fewer units. */
  readonly isBound: boolean;
}

type Priced = Pick<Line, 'price' | 'isBound'> & { readonly priceFrom: PriceSource };

/** How many units a call is charged for; undefined when only its answer says. */
function unitsOf(
  operation: string,
  { params, body }: { readonly params: Parameters; readonly body?: JsonObject | undefined },
): number | undefined {
  switch (operation) {
    // Charged by registration, as observed.
    case 'listNotices':
      return String(params['oabs'] ?? '').split(',').length;
    case 'createNoticeMonitor':
      return Array.isArray(body?.['oabs']) ? (body['oabs'] as unknown[]).length : 1;
    // Charged by result, as observed.
    case 'listCasesByDocument':
      return undefined;
    default:
      return 1;
  }
}

/** The stated price, unless a higher charge was seen: the next call may cost that again. */
export function priceOf(
  operation: Operation<string>,
  call: { readonly params: Parameters; readonly body?: JsonObject | undefined },
  { stated, highestCharge }: Pick<Foreseen, 'stated' | 'highestCharge'>,
): Priced {
  const units = unitsOf(operation.id, call);
  if (units === undefined) return { price: null, priceFrom: 'default', isBound: false };
  const isPerUnit = operation.id === 'listNotices' || operation.id === 'createNoticeMonitor';
  const statedTotal = stated === undefined ? undefined : ((stated * units) as Amount);
  if (statedTotal !== undefined && (isPerUnit || highestCharge === null || highestCharge <= statedTotal)) {
    const priceFrom = stated === listedPrice(operation) ? 'interface' : 'configuration';
    return { price: statedTotal, priceFrom, isBound: false };
  }
  if (highestCharge === null) return { price: null, priceFrom: 'default', isBound: false };
  return { price: (highestCharge * units) as Amount, priceFrom: 'ledger', isBound: isPerUnit };
}
