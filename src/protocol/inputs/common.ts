/** Members that every flow takes, and what they become. Pure. */
import { isJsonObject, type JsonObject } from '../../contract/json.js';
import { holdsCpfOrCnpj, present } from '../../contract/values/index.js';
import { DEFAULT_ACCOUNT } from '../names.js';
import { amount, duration, member, optional, textLike, withFlag } from './kinds.js';
import { readMembers, type Member } from './members.js';

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
  /**
   * A cap over all flows that carry the same key. Not an input member: a portfolio gives it to the refreshes that it starts.
   */
  readonly budget?: { readonly key: string; readonly limit: string };
}

/** Without a dot, because dots separate the parts of workflow ids. */
export const ACCOUNT_NAME = /^[A-Za-z0-9][\w-]{0,39}$/;
const MAX_ONCE = 200;

const accountName = textLike(ACCOUNT_NAME, 'must be the name of a configured account (letters, digits, "-" and "_")');
const account: Member<string> = {
  schema: { ...accountName.schema, default: DEFAULT_ACCOUNT },
  read: (value = DEFAULT_ACCOUNT, name) => accountName.read(value, name),
  flag: { takes: '<name>', help: 'account in the configuration' },
};

const patience = duration('true, false or a duration');
const webhook: Member<Pick<CommonSettings, 'webhook' | 'webhookPatienceMs'> | undefined> = {
  schema: { anyOf: [{ type: 'boolean' }, patience.schema] },
  read: (value, name) => {
    if (value === undefined) return undefined;
    if (typeof value === 'boolean') return { webhook: value };
    return { webhook: true, webhookPatienceMs: patience.read(value, name) };
  },
  flag: { takes: '<value>', form: 'on/off', help: 'true, false, or how long to wait for the webhook before polling' },
};

const once = withFlag(
  member(
    `must be a non-empty string of at most ${MAX_ONCE} characters`,
    { type: 'string', pattern: '\\S', maxLength: MAX_ONCE },
    (value) =>
      typeof value === 'string' && value.trim() !== '' && value.length <= MAX_ONCE && !/\p{C}/u.test(value)
        ? value
        : undefined,
  ),
  { takes: '<key>', help: 'your own idempotency key: under it, each call is paid once, forever' },
);

export const COMMON_MEMBERS = {
  account,
  maxSpend: withFlag(optional(amount), { takes: '<amount>', help: 'spend at most this, like 2.00' }),
  webhook,
  maxAge: withFlag(optional(duration()), {
    takes: '<duration>',
    help: 'reuse an answer already paid for, no older than this (90s, 10m, 24h, 30d)',
  }),
  once: optional(once),
} satisfies { readonly [Name in keyof CommonInput]-?: Member<unknown> };

/** Members of inputs that become ids, keys and search terms as they are. */
const NAMES = ['account', 'once', 'name', 'reference'] as const;

/**
 * Why a name is refused: a CPF or CNPJ in it would end up in ids, logs and the ledger. Starters check this, and so does a run
 * before anything is spent. The value itself is not shown.
 */
export function namesProblem(input: unknown): string | undefined {
  const given: JsonObject = isJsonObject(input) ? input : {};
  const named = NAMES.find((name) => isPersonal(given[name]));
  return named === undefined ? undefined : personalProblem(`input.${named}`);
}

/** One of our tokens as a part of an id: its letters may make a CNPJ by chance, its digits alone do not. */
const TOKEN = /(?<![^./])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{32}(?![^./])/g;

/** The same for an id that somebody chose. `what` names it. */
export function idProblem(what: string, id: string): string | undefined {
  const known = id.replace(TOKEN, (token) => token.replace(/[A-Za-z]/g, '~'));
  return isPersonal(known) ? personalProblem(what) : undefined;
}

function isPersonal(value: unknown): boolean {
  return typeof value === 'string' && holdsCpfOrCnpj(value);
}

function personalProblem(what: string): string {
  return `${what} contains what looks like a CPF or CNPJ (its check digits are right), and would appear in ids and logs; use a number of your own that identifies nobody`;
}

export function commonSettings(given: Readonly<Record<string, unknown>>): CommonSettings {
  const { webhook: expected, maxAge: maxAgeMs, ...same } = readMembers(COMMON_MEMBERS, given);
  return { ...same, ...expected, ...present({ maxAgeMs }) };
}
