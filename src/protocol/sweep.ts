/** What a portfolio tells a refresh that it starts, in the memo: people who ask for the same case share the run. Pure. */
import { parseAmount } from '../contract/values/index.js';

/** What a portfolio gives to the refreshes that it starts, beside their inputs. */
export interface SweepMemo {
  /** The refresh is paid once under this key, however often it is started. */
  readonly once: string;
  /** Cap that all refreshes of the portfolio share; `limit` is a decimal string. */
  readonly budget?: { readonly key: string; readonly limit: string };
}

/** Undefined for anything else than what we write: a memo can be set by whoever starts the run. */
export function readSweepMemo(value: unknown): SweepMemo | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { once, budget } = value as { readonly once?: unknown; readonly budget?: unknown };
  if (typeof once !== 'string' || once === '') return undefined;
  const { key, limit } = (budget ?? {}) as { readonly key?: unknown; readonly limit?: unknown };
  const capped = typeof key === 'string' && typeof limit === 'string' && parseAmount(limit) !== undefined;
  return { once, ...(capped ? { budget: { key, limit } } : {}) };
}
