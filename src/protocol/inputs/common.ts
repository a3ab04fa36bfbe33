/** Members that every flow takes, and what they become. Pure. */
import { DEFAULT_ACCOUNT } from '../names.js';
import { amount, duration, problem } from './members.js';

/** Members that the input of every flow takes. */
export interface CommonInput {
  /** Account of the configuration; `"default"`. */
  readonly account?: string;
  /** Cap for this flow, decimal string. */
  readonly maxSpend?: string;
  /** Whether to expect a webhook, or how long to wait for it before polling. Default: the account's setting. */
  readonly webhook?: boolean | string;
  /** Reuse an answer already paid for, no older than this duration. */
  readonly maxAge?: string;
  /** The caller's own key: every step paid under it is paid once, forever. */
  readonly once?: string;
}

/** {@link CommonInput} with defaults filled in and durations in ms. */
export interface CommonSettings {
  readonly account: string;
  readonly maxSpend?: string;
  readonly webhook?: boolean;
  readonly webhookPatienceMs?: number;
  readonly maxAgeMs?: number;
  readonly once?: string;
  /** Not an input member: a portfolio gives it to the refreshes that it starts. */
  readonly budget?: { readonly key: string; readonly limit: string };
}

export const COMMON_MEMBERS = ['account', 'maxSpend', 'webhook', 'maxAge', 'once'] as const;

export const ACCOUNT_NAME = /^[A-Za-z0-9][\w-]{0,39}$/;
const MAX_ONCE = 200;

export function commonSettings(members: Record<string, unknown>): CommonSettings {
  const { account = DEFAULT_ACCOUNT, maxSpend, webhook, maxAge, once } = members;
  if (typeof account !== 'string' || !ACCOUNT_NAME.test(account)) {
    throw problem('account', 'must be the name of a configured account (letters, digits, - and _)', account);
  }
  return {
    account,
    ...(maxSpend === undefined ? {} : { maxSpend: amount('maxSpend', maxSpend) }),
    ...webhookSettings(webhook),
    ...(maxAge === undefined ? {} : { maxAgeMs: duration('maxAge', maxAge) }),
    ...(once === undefined ? {} : { once: onceKey(once) }),
  };
}

function webhookSettings(webhook: unknown): Pick<CommonSettings, 'webhook' | 'webhookPatienceMs'> {
  if (webhook === undefined) return {};
  if (typeof webhook === 'boolean') return { webhook };
  return { webhook: true, webhookPatienceMs: duration('webhook', webhook, 'true, false or a duration') };
}

function onceKey(once: unknown): string {
  if (typeof once !== 'string' || once.trim() === '' || once.length > MAX_ONCE || /\p{C}/u.test(once)) {
    throw problem('once', `must be a non-empty string of at most ${MAX_ONCE} characters`, once);
  }
  return once;
}
