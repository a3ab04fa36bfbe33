/** Gaps and prices: the defaults of the contract, overridden by the file. Pure. */
import {
  DEFAULT_GAPS,
  listedPrice,
  OPERATIONS,
  parseAmount,
  present,
  type Amount,
  type FlagGap,
  type Gaps,
  type Prices,
} from '../contract/index.js';
import type { FileGaps } from './file-schema.js';
import { ownRecord } from './layers.js';

/** Price of an operation that has one neither in the file nor in the interface. */
const DEFAULT_PRICE = '0.50';

export function buildPrices(file: Readonly<Record<string, Amount>>): Prices {
  const listed = OPERATIONS.flatMap((operation): [string, Amount][] => {
    const price = listedPrice(operation);
    return price === undefined ? [] : [[operation.id, price]];
  });
  return ownRecord([...listed, ['default', parseAmount(DEFAULT_PRICE)], ...Object.entries(file)]) as Prices;
}

export function buildGaps(file: FileGaps): Gaps {
  const { documentsFlag, callbackFlag, statusWords, filters, ...plain } = file;
  // A copy, because the config is deeply frozen and the contract's constants are not ours to freeze.
  const defaults = structuredClone(DEFAULT_GAPS);
  return {
    ...defaults,
    ...present(plain),
    documentsFlag: flag(defaults.documentsFlag, documentsFlag),
    callbackFlag: flag(defaults.callbackFlag, callbackFlag),
    statusWords: { ...defaults.statusWords, ...present(statusWords ?? {}) },
    filters: ownRecord(Object.entries(filters ?? {})),
  };
}

function flag(fallback: FlagGap, given: FileGaps['documentsFlag']): FlagGap {
  return { ...fallback, ...present(given ?? {}) };
}
