/** What a portfolio puts into the memo, not the input, of its refreshes, so that people can share the run of a case. Pure. */
import { isJsonObject, type JsonObject } from '../contract/json.js';
import { parseAmount } from '../contract/values/index.js';

/** What a portfolio gives its refreshes in addition to their inputs. */
export interface SweepMemo {
  /** The refresh is paid once under this key, however often it is started. */
  readonly once: string;
  /** Cap that all refreshes of the portfolio share; `limit` is a decimal string. */
  readonly budget?: { readonly key: string; readonly limit: string };
}

/** Longer than any key of ours: account, portfolio, the caller's own `once` and a case. */
const MAX_KEY = 500;

/**
 * Undefined for anything that we do not write, because anyone who starts a run can set its memo. A forged memo can do no more
 * than `once` and `maxSpend` of an input: it can only make a flow pay less.
 */
export function readSweepMemo(value: unknown): SweepMemo | undefined {
  if (!isJsonObject(value)) return undefined;
  const { once, budget } = value;
  if (!isKey(once)) return undefined;
  const { key, limit }: JsonObject = isJsonObject(budget) ? budget : {};
  const capped = isKey(key) && typeof limit === 'string' && parseAmount(limit) !== undefined;
  return { once, ...(capped ? { budget: { key, limit } } : {}) };
}

function isKey(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_KEY && !/\p{C}/u.test(value);
}
