/** Gaps and prices: what the file says over what design 6 shows as default. Pure. */
import { DEFAULT_GAPS, parseAmount, type Amount, type FlagGap } from '../contract/index.js';
import type { FileGaps } from './file-schema.js';
import { dropUndefined, ownRecord } from './layers.js';
import type { Config, ConfiguredGaps } from './types.js';

/** design 6; the first three figures below are the interface's own (interface-v1 "Limits"). */
const DEFAULT_PRICES: Readonly<Record<string, string>> = {
  getElectoralPublication: '0.05',
  getElectoralEditionPdf: '0.08',
  searchElectoralBoard: '0.15',
  default: '0.50',
};

export function buildPrices(file: Readonly<Record<string, Amount>>): Config['prices'] {
  const defaults = Object.entries(DEFAULT_PRICES).map(([id, price]) => [id, parseAmount(price) as Amount] as const);
  return ownRecord([...defaults, ...Object.entries(file)]) as Config['prices'];
}

export function buildGaps(file: FileGaps): ConfiguredGaps {
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
