/** Gaps and prices: what the file says over the defaults of the contract. Pure. */
import { DEFAULT_GAPS, OPERATIONS, parseAmount, type Amount, type FlagGap, type Gaps } from '../contract/index.js';
import type { FileGaps } from './file-schema.js';
import { dropUndefined, ownRecord } from './layers.js';
import type { Config } from './types.js';

/** Of an operation whose price neither the file nor the interface says. */
const DEFAULT_PRICE = '0.50';

export function buildPrices(file: Readonly<Record<string, Amount>>): Config['prices'] {
  const listed = OPERATIONS.flatMap(({ id, price }) => (price === undefined ? [] : [[id, price] as const]));
  const defaults = [...listed, ['default', DEFAULT_PRICE] as const].map(
    ([id, price]) => [id, parseAmount(price) as Amount] as const,
  );
  return ownRecord([...defaults, ...Object.entries(file)]) as Config['prices'];
}

export function buildGaps(file: FileGaps): Gaps {
  const { documentsFlag, callbackFlag, statusWords, filters, ...plain } = file;
  // A copy: the config is frozen to the bottom, the contract's constants are not ours to freeze.
  const defaults = structuredClone(DEFAULT_GAPS);
  return {
    ...defaults,
    ...dropUndefined(plain),
    documentsFlag: flag(defaults.documentsFlag, documentsFlag),
    callbackFlag: flag(defaults.callbackFlag, callbackFlag),
    statusWords: { ...defaults.statusWords, ...dropUndefined(statusWords ?? {}) },
    filters: ownRecord(Object.entries(filters ?? {})),
  };
}

function flag(fallback: FlagGap, given: FileGaps['documentsFlag']): FlagGap {
  return { ...fallback, ...dropUndefined(given ?? {}) };
}
