/** `ensureNoticeMonitor`: a notice monitor as asked: created, activated, changed or left alone. */
import { defineFlow, workflowIdOf } from '../flow.js';
import { boundedList, registrations, sortedSet, webhookUrl } from '../inputs/kinds.js';
import { described, problem, type Member } from '../inputs/members.js';
import type { CommonInput } from '../inputs/common.js';
import type { FlowCosts } from '../results.js';

/** Input of `ensureNoticeMonitor`: registrations of lawyers that one notice monitor is to watch. A monitor bills again and again. */
export interface EnsureNoticeMonitorInput extends CommonInput {
  /** Registrations like `"SP:123456"`, 1 to 500. */
  readonly oabs: readonly string[];
  /** Auxiliary terms. */
  readonly terms?: readonly string[];
  /** Ids of gazettes, as the service has them: a number stays one. */
  readonly origins?: readonly (string | number)[];
  /** https, to a host of TRAMITA_WEBHOOK_URL_HOSTS. */
  readonly webhookUrl?: string;
}

/** Result of `ensureNoticeMonitor`, `createRadar` and `createCaseMonitor`: the monitor, and what was done for it. */
export interface MonitorResult extends FlowCosts {
  /** The monitor as it is now. */
  readonly monitor: {
    /** Id at the service. */
    readonly id: string | null;
    /** Word of the service. */
    readonly status: string | null;
    /** How the service announces what it finds. */
    readonly callback?: {
      /** Whether it posts. */
      readonly enabled: boolean | null;
      /** Word of the service. */
      readonly mode: string | null;
    };
    /** What it bills. */
    readonly billing?: {
      /** A decimal string. */
      readonly monthlyPrice: string;
    };
  };
  /** Every monitor, where the input has several registrations. */
  readonly monitors?: readonly {
    /** Id at the service. */
    readonly id: string | null;
    /** Word of the service. */
    readonly status: string | null;
  }[];
  /** What was done for it. */
  readonly action: 'created' | 'activated' | 'updated' | 'unchanged';
}

const MAX_ITEMS = 200;
const MAX_TEXT = 200;

const SCHEMA = {
  type: 'array',
  maxItems: MAX_ITEMS,
  items: { type: ['string', 'number'], pattern: '\\S', maxLength: MAX_TEXT },
} as const;

/** Reads each item once by its text, sorted by text. */
function readItems(value: unknown, name: string): readonly (string | number)[] | undefined {
  if (value === undefined) return undefined;
  const bounds = { least: 0, most: MAX_ITEMS, expected: `a list of at most ${MAX_ITEMS} texts` };
  const items = boundedList(value, name, bounds).map((each, place): [string, string | number] => {
    const item = typeof each === 'string' ? each.trim() : each;
    if (typeof item === 'number') return [String(item), item];
    if (typeof item !== 'string' || item === '' || item.length > MAX_TEXT) {
      throw problem(`${name}[${place}]`, `must be a text of 1 to ${MAX_TEXT} characters`, described(each));
    }
    return [item, item];
  });
  const byText = new Map(items);
  return sortedSet([...byText.keys()]).map((text) => byText.get(text) ?? text);
}

const terms: Member<readonly string[] | undefined> = {
  schema: SCHEMA,
  read: (value, name) => readItems(value, name)?.map(String),
};

/** Ids keep their type: the body may want them as numbers. */
const origins: Member<readonly (string | number)[] | undefined> = { schema: SCHEMA, read: readItems };

export const ensureNoticeMonitor = defineFlow<EnsureNoticeMonitorInput, MonitorResult>()({
  idPrefix: 'monitor',
  example: '{"oabs":["SP:123456"]}',
  members: { oabs: registrations, terms, origins, webhookUrl },
  place: ({ oabs }, { token }) => ({
    id: ['notices', token('oabs', oabs)],
    summary: `Notice monitor of ${oabs.length} registrations`,
  }),
});

/** Default workflow id of `ensureNoticeMonitor`. `token`: of the sorted registrations, which are personal. */
export function noticeMonitorId(account: string, token: string): string {
  return workflowIdOf(ensureNoticeMonitor, account, 'notices', token);
}
