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
    // If a registration has several records, an active one counts.
    const own = listed.filter((monitor) => monitor.oabs.includes(oab));
    const monitor = own.find(({ active }) => active === true) ?? own[0];
    if (monitor === undefined || monitor.active !== true) {
      known ||= monitor !== undefined;
      create.push(oab);
      continue;
    }
    // A monitor with several registrations is changed once.
    if (!kept.has(monitor) && !isAsAsked(asked, monitor)) changes.push({ oab, monitor });
    kept.add(monitor);
  }
  const monitors = [...kept].map(({ id, status }) => ({ id, status: status ?? 'active' }));
  return { create, activates: known, changes, monitors };
}

/**
 * The registrations of `create` that may have an active monitor: creating another could bill twice. A monitor that is not
 * reported as inactive counts if it names the registration, with or without a further letter (which the service does not take).
 * It also counts if its registrations cannot all be read and their number is somewhere in its record. Pure.
 */
export function unclearAmong(create: readonly string[], listed: readonly NoticeMonitor[]): readonly string[] {
  const mayBill = listed.filter(({ active }) => active !== false);
  const unreadable = mayBill.filter(
    ({ oabs, drift }) => oabs.length === 0 || drift.some(({ member }) => member === 'oabs'),
  );
  return create.filter((oab) => {
    if (mayBill.some(({ oabs }) => oabs.some((own) => withoutLetter(own) === oab))) return true;
    const [, number = ''] = oab.split(':');
    const pattern = new RegExp(`(?<!\\d)0*${number}(?!\\d)`);
    return unreadable.some(({ data }) => pattern.test(withoutThousands(JSON.stringify(data))));
  });
}

function withoutLetter(oab: string): string {
  return readOabQuery(oab) ?? oab;
}

function isAsAsked(
  { terms, origins, webhookUrl }: AskedNoticeMonitor,
  { data, webhookUrl: shown }: NoticeMonitor,
): boolean {
  // A list that is not shown may hold anything: it is not known to be empty.
  const isShownAs = (asked: readonly (string | number)[] | undefined, names: readonly string[]): boolean =>
    asked === undefined || (isShown(data, names) && sameSet(asked.map(String), listAt(data, names)));
  return isShownAs(terms, TERMS) && isShownAs(origins, ORIGINS) && (webhookUrl === undefined || shown === webhookUrl);
}

/** What is asked, without the empty lists that the record of the monitor does not show. */
export function withoutUnseen<Asked extends AskedNoticeMonitor>(asked: Asked, data: Json): Asked {
  const isUnseen = (list: readonly unknown[] | undefined, names: readonly string[]): boolean =>
    list?.length === 0 && !isShown(data, names);
  return {
    ...asked,
    ...(isUnseen(asked.terms, TERMS) ? { terms: undefined } : {}),
    ...(isUnseen(asked.origins, ORIGINS) ? { origins: undefined } : {}),
  };
}

/** Whether the record of a monitor shows now what it showed then, among what is asked. What it does not show is left out. Pure. */
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
const ORIGINS = ['origensIds', 'origens_ids', 'origens'];
const ADDRESSES = ['webhookUrl', 'webhook_url', 'webhook.url', 'callback.url'];
const CALLBACKS = ['callbackEnabled', 'callback_enabled', 'callback.enabled'];

/** A member that is null counts as shown: it says that there is nothing. */
function isShown(data: Json, names: readonly string[]): boolean {
  return names.some((name) => atPath(data, name) !== undefined);
}

function isOff(data: Json): boolean {
  return CALLBACKS.some((name) => atPath(data, name) === false);
}

/** What an item of a list is compared by if it is an object. */
const ITEM_TEXTS: ReadonlyMap<readonly string[], readonly string[]> = new Map([
  [TERMS, ['termo', 'nome']],
  [ORIGINS, ['id']],
]);

/** The texts at the first of the places that has a value; a single value is a list of one. */
function listAt(data: Json, names: readonly string[]): readonly string[] {
  const first = firstAt(data, names, (value) => value ?? undefined);
  if (first === undefined) return [];
  const items: readonly unknown[] = Array.isArray(first) ? first : [first];
  const members = ITEM_TEXTS.get(names) ?? [];
  return items.map((item) => textOf(item) ?? firstAt(item, members, textOf) ?? JSON.stringify(item));
}

function sameSet(asked: readonly string[], listed: readonly string[]): boolean {
  const wanted = new Set(asked);
  return wanted.size === new Set(listed).size && listed.every((value) => wanted.has(value));
}
