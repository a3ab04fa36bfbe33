/**
 * Inputs of the flows and their problems as text. Shared by starters (before anything starts) and flows (so that plain
 * JSON from any language fails at once with `InvalidInput` instead of failing a workflow task for ever). Pure, no zod.
 */
import { parseAmount, parseCnj, parseDurationMs, formatAmount, type Cnj } from '../contract/values/index.js';
import { DEFAULT_ACCOUNT } from './names.js';

/** Members that every flow takes. */
export interface CommonInput {
  /** Account of the configuration; `"default"`. */
  readonly account?: string;
  /** Cap for this flow, decimal string. */
  readonly maxSpend?: string;
  /** Whether to expect a webhook, or how long to wait for it before polling. Default: the account's setting. */
  readonly webhook?: boolean | string;
  /** Reuse an answer already paid for, no older than this duration. */
  readonly maxAge?: string;
  /** The caller's own key: every step paid under it is paid once, for ever. */
  readonly once?: string;
}

export interface RefreshCaseInput extends CommonInput {
  readonly cnj: string;
  readonly documents?: boolean;
  /** Pages of the documents list, each a charged call; 1. */
  readonly maxPages?: number;
  readonly download?: boolean;
  /** List again (paid) when a signed link has expired. */
  readonly relist?: boolean;
}

/** {@link CommonInput} with defaults filled in and durations in ms. */
export interface CommonSettings {
  readonly account: string;
  readonly maxSpend?: string;
  readonly webhook?: boolean;
  readonly webhookPatienceMs?: number;
  readonly maxAgeMs?: number;
  readonly once?: string;
}

export interface RefreshCaseSettings extends CommonSettings {
  readonly cnj: Cnj;
  readonly courtKnown: boolean;
  readonly documents: boolean;
  readonly maxPages: number;
  readonly download: boolean;
  readonly relist: boolean;
}

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

const COMMON_MEMBERS = ['account', 'maxSpend', 'webhook', 'maxAge', 'once'] as const;
const REFRESH_MEMBERS = ['cnj', 'documents', 'maxPages', 'download', 'relist', ...COMMON_MEMBERS] as const;

export const ACCOUNT_NAME = /^[A-Za-z0-9][\w-]{0,39}$/;
const MAX_ONCE = 200;
const MAX_PAGES = 1_000;

/** Input of `refreshCase`; `problem` names the member, what was seen and what is expected. */
export function parseRefreshCaseInput(input: unknown): Parsed<RefreshCaseSettings> {
  return guard(() => {
    const members = objectMembers(input, REFRESH_MEMBERS, '{"cnj":"NNNNNNN-DD.AAAA.J.TR.OOOO"}');
    if (members['cnj'] === undefined) throw problem('cnj', 'is missing; give the case number as a string');
    const cnj = parseCnj(members['cnj']);
    if (!cnj.ok) throw problem('cnj', cnj.problem, members['cnj']);
    const documents = flag(members, 'documents');
    const download = flag(members, 'download');
    const relist = flag(members, 'relist');
    const maxPages = positiveInteger(members, 'maxPages', 1, MAX_PAGES);
    if (download && !documents)
      throw problem('download', 'needs "documents": true, files come from the documents list');
    if (relist && !download) throw problem('relist', 'needs "download": true, it lists again only for expired links');
    return {
      ...commonSettings(members),
      cnj: cnj.cnj,
      courtKnown: cnj.courtKnown,
      documents,
      maxPages,
      download,
      relist,
    };
  });
}

function commonSettings(members: Record<string, unknown>): CommonSettings {
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

function amount(member: string, value: unknown): string {
  const parsed = typeof value === 'string' ? parseAmount(value) : undefined;
  if (parsed === undefined)
    throw problem(member, 'must be a decimal string with up to four places, like "2.50"', value);
  return formatAmount(parsed);
}

function duration(member: string, value: unknown, expected = 'a duration'): number {
  const parsed = typeof value === 'string' ? parseDurationMs(value) : undefined;
  if (parsed === undefined) throw problem(member, `must be ${expected}, like "90s", "10m", "24h" or "30d"`, value);
  return parsed;
}

function flag(members: Record<string, unknown>, member: string): boolean {
  const value = members[member] ?? false;
  if (typeof value !== 'boolean') throw problem(member, 'must be true or false', value);
  return value;
}

function positiveInteger(members: Record<string, unknown>, member: string, fallback: number, max: number): number {
  const value = members[member] ?? fallback;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1 || value > max) {
    throw problem(member, `must be a whole number from 1 to ${max}`, value);
  }
  return value;
}

function objectMembers(input: unknown, known: readonly string[], example: string): Record<string, unknown> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new InputProblem(`input must be one JSON object like ${example}, got ${seen(input)}`);
  }
  const unknown = Object.keys(input).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new InputProblem(
      `input has an unknown member "${unknown.slice(0, 40)}"; known members are ${known.join(', ')}`,
    );
  }
  return input as Record<string, unknown>;
}

class InputProblem extends Error {}

function problem(member: string, expectation: string, value?: unknown): InputProblem {
  return new InputProblem(`input.${member} ${expectation}${value === undefined ? '' : `; seen: ${seen(value)}`}`);
}

/** Runs of 9 to 16 digits, with or without separators, may be a CPF or CNPJ; a state and a number may be a lawyer. */
const PERSONAL_NUMBER = /(?<!\d[ ./-]?)(\d{2})(?:[ ./-]{0,2}\d){6,13}(\d)(?![ ./-]?\d)/g;
const LAWYER = /\b([A-Za-z]{2})[:/ -]?\d{3,7}\b/g;

/** What was seen, cut, and never a whole personal number. */
function seen(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? `"${value}"` : JSON.stringify(value);
  const masked = text.replace(PERSONAL_NUMBER, '$1…$2').replace(LAWYER, '$1:…');
  return masked.length > 60 ? `${masked.slice(0, 57)}...` : masked;
}

function guard<T>(parse: () => T): Parsed<T> {
  try {
    return { ok: true, value: parse() };
  } catch (error) {
    if (error instanceof InputProblem) return { ok: false, problem: error.message };
    throw error;
  }
}
