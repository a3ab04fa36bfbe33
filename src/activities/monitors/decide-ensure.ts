/**
 * What has to be done so that every registration has an active monitor as asked: nothing, create (or activate), change. Pure.
 * Only what was asked is compared: terms, gazettes or an address that the input leaves out stay as they are.
 */
import {
  atPath,
  firstAt,
  readOabQuery,
  textOf,
  withoutThousands,
  type Json,
  type NoticeMonitor,
} from '../../contract/index.js';
import type { EnsurePlan, PlanNoticeMonitorInput } from '../../protocol/index.js';

type AskedNoticeMonitor = Pick<PlanNoticeMonitorInput, 'oabs' | 'terms' | 'origins' | 'webhookUrl'>;

/** An active monitor that the listing does not show as asked. */
export interface Change {
  readonly oab: string;
  readonly monitor: NoticeMonitor;
}

export function decideEnsure(
  asked: AskedNoticeMonitor,
  listed: readonly NoticeMonitor[],
): Omit<EnsurePlan, 'kind' | 'update'> & { readonly changes: readonly Change[] } {
  const create: string[] = [];
  const changes: Change[] = [];
  const kept = new Set<NoticeMonitor>();
  let known = false;
  for (const oab of asked.oabs) {
    // Of several records of one registration an active one counts.
    const own = listed.filter((monitor) => monitor.oabs.includes(oab));
    const monitor = own.find(({ active }) => active === true) ?? own[0];
    if (monitor === undefined || monitor.active !== true) {
      known ||= monitor !== undefined;
      create.push(oab);
      continue;
    }
    // A monitor of several registrations is changed once.
    if (!kept.has(monitor) && !isAsAsked(asked, monitor)) changes.push({ oab, monitor });
    kept.add(monitor);
  }
  const monitors = [...kept].map(({ id, status }) => ({ id, status: status ?? 'active' }));
  return { create, activates: known, changes, monitors };
}

/**
 * Of `create`, registrations that may have an active monitor: one of theirs does not say whether it is active, is of the same
 * number with a letter more, which the service does not take, or their number is in one whose own registrations cannot all be
 * read. Creating one of them could bill twice. Pure.
 */
export function unclearAmong(create: readonly string[], listed: readonly NoticeMonitor[]): readonly string[] {
  const mayBill = listed.filter(({ active }) => active !== false);
  const unreadable = mayBill.filter(
    ({ oabs, drift }) => oabs.length === 0 || drift.some(({ member }) => member === 'oabs'),
  );
  return create.filter((oab) => {
    if (mayBill.some(({ oabs }) => oabs.some((own) => withoutLetter(own) === oab))) return true;
    const [, number = ''] = oab.split(':');
    const token = new RegExp(`(?<!\\d)0*${number}(?!\\d)`);
    return unreadable.some(({ data }) => token.test(withoutThousands(JSON.stringify(data))));
  });
}

function withoutLetter(oab: string): string {
  return readOabQuery(oab) ?? oab;
}

function isAsAsked(
  { terms, origins, webhookUrl }: AskedNoticeMonitor,
  { data, webhookUrl: shown }: NoticeMonitor,
): boolean {
  return (
    (terms === undefined || sameSet(terms, listAt(data, TERMS))) &&
    (origins === undefined || sameSet(origins.map(String), listAt(data, ORIGINS))) &&
    (webhookUrl === undefined || shown === webhookUrl)
  );
}

/** Of what is asked, a record shows now what one of the same monitor showed then. What it does not show says nothing. Pure. */
export function showsTheSame(
  { terms, origins, webhookUrl }: AskedNoticeMonitor,
  { now, then }: { readonly now: Json; readonly then: Json },
): boolean {
  const same = (asked: unknown, names: readonly string[]): boolean =>
    asked === undefined || !isShown(now, names) || sameSet(listAt(now, names), listAt(then, names));
  return (
    same(terms, TERMS) &&
    same(origins, ORIGINS) &&
    same(webhookUrl, ADDRESSES) &&
    (webhookUrl === undefined || isOff(now) === isOff(then))
  );
}

const TERMS = ['termosAuxiliares', 'termos_auxiliares'];
const ORIGINS = ['origensIds', 'origens_ids'];
const ADDRESSES = ['webhookUrl', 'webhook_url', 'webhook.url', 'callback.url'];
const CALLBACKS = ['callbackEnabled', 'callback_enabled', 'callback.enabled'];

/** A member that is null shows that there is nothing. */
function isShown(data: Json, names: readonly string[]): boolean {
  return names.some((name) => atPath(data, name) !== undefined);
}

function isOff(data: Json): boolean {
  return CALLBACKS.some((name) => atPath(data, name) === false);
}

/** The texts at the first of the places that has any; a single one is a list of one. */
function listAt(data: Json, names: readonly string[]): readonly string[] {
  const found = firstAt(data, names, (value) => value ?? undefined);
  const items = Array.isArray(found) ? (found as unknown[]) : found === undefined ? [] : [found];
  return items.map((item) => textOf(item) ?? JSON.stringify(item));
}

function sameSet(asked: readonly string[], listed: readonly string[]): boolean {
  const wanted = new Set(asked);
  return wanted.size === new Set(listed).size && listed.every((value) => wanted.has(value));
}
