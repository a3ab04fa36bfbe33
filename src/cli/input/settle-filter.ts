/** The filters of `tramita settle --where key=value …`: all of them must hold. Pure. */
import { DAY_MS, parseDurationMs, PENDING_AT_MOST_MS } from '../../contract/index.js';
import type { UndecidedFilter, UndecidedState } from '../../ledger/index.js';
import { usageError } from '../exit-codes.js';

const STATES: Readonly<Record<string, UndecidedState>> = {
  unknown: 'unknown',
  charged_lost: 'charged_lost',
  'unknown-charge': 'unknown',
  'charged-lost': 'charged_lost',
  pending: 'pending',
  adopted: 'pending',
};

type Reader = (value: string, nowMs: number) => UndecidedFilter | undefined;

/** `read` returns undefined for a value that is not `expected`. */
const KEYS: Readonly<Record<string, { readonly expected: string; readonly read: Reader }>> = {
  account: { expected: 'an account name', read: (account) => ({ account }) },
  operation: { expected: 'an operation id', read: (operation) => ({ operation }) },
  state: {
    expected: `unknown, charged_lost (the attentions unknown-charge and charged-lost mean the same) or pending (adopted and not confirmed, or pending for more than ${PENDING_AT_MOST_MS / DAY_MS} days)`,
    read: (value) => {
      const state = Object.hasOwn(STATES, value) ? STATES[value] : undefined;
      return state === undefined ? undefined : { state };
    },
  },
  'older-than': {
    expected: 'a duration like 2h',
    read: (value, nowMs) => {
      const ms = parseDurationMs(value);
      return ms === undefined ? undefined : { openedUntilMs: nowMs - ms };
    },
  },
  workflow: { expected: 'the beginning of a workflow id', read: (workflowPrefix) => ({ workflowPrefix }) },
  reason: { expected: 'part of the reason', read: (reason) => ({ reason }) },
};

/** @throws a usage error that names the filter and what it expects. */
export function parseWhere(texts: readonly string[], nowMs: number): UndecidedFilter {
  const seen = new Set<string>();
  return texts.reduce<UndecidedFilter>((filter, text) => {
    const [key = '', ...rest] = text.split('=');
    const value = rest.join('=');
    const known = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (known === undefined || rest.length === 0) {
      throw usageError(`--where: seen "${text}"; expected key=value with one of ${Object.keys(KEYS).join(', ')}`);
    }
    if (seen.has(key)) throw usageError(`--where: "${key}" is given twice; all filters must hold`);
    seen.add(key);
    const part = value === '' ? undefined : known.read(value, nowMs);
    if (part === undefined) throw usageError(`--where ${key}: seen "${value}"; expected ${known.expected}`);
    return { ...filter, ...part };
  }, {});
}
