/** Gaps and prices: what the file says over the defaults of the contract. Pure. */
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

/** Of an operation whose price is given by neither the file nor the interface. */
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
  // A copy: the config is frozen to the bottom, the contract's constants are not ours to freeze.
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
