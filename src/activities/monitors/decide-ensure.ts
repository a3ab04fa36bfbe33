/**
 * What has to be done so that every registration has an active monitor as asked: nothing, create (or activate), change. Pure.
 * Only what was asked is compared: terms, gazettes or an address that the input leaves out stay as they are.
 */
import {
  firstAt,
  formatOabQuery,
  isJsonObject,
  parseOab,
  withoutThousands,
  type NoticeMonitor,
} from '../../contract/index.js';
import type { EnsurePlan } from '../../protocol/index.js';

interface AskedNoticeMonitor {
  readonly oabs: readonly string[];
  readonly terms?: readonly string[];
  readonly origins?: readonly (string | number)[];
  readonly webhookUrl?: string;
}

export function decideEnsure(asked: AskedNoticeMonitor, listed: readonly NoticeMonitor[]): Omit<EnsurePlan, 'kind'> {
  const create: string[] = [];
  const update: string[] = [];
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
    if (!kept.has(monitor) && !isAsAsked(asked, monitor)) update.push(oab);
    kept.add(monitor);
  }
  const monitors = [...kept].map(({ id, status }) => ({ id, status: status ?? 'active' }));
  return { create, activates: known, update, monitors };
}

/**
 * Of `create`, registrations that may have an active monitor: one of theirs does not say whether it is active, is of the same
 * number with a letter more, which the service does not take, or their number stands in one whose own registrations cannot all be
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
  const read = parseOab(oab);
  return read.ok ? formatOabQuery(read.oab) : oab;
}

function isAsAsked({ terms, origins, webhookUrl }: AskedNoticeMonitor, monitor: NoticeMonitor): boolean {
  return (
    (terms === undefined || sameSet(terms, listAt(monitor, ['termosAuxiliares', 'termos_auxiliares']))) &&
    (origins === undefined || sameSet(origins.map(String), listAt(monitor, ['origensIds', 'origens_ids']))) &&
    (webhookUrl === undefined || monitor.webhookUrl === webhookUrl)
  );
}

function listAt({ data }: NoticeMonitor, names: readonly string[]): readonly string[] {
  const list = isJsonObject(data)
    ? firstAt(data, names, (value) => (Array.isArray(value) ? (value as unknown[]) : undefined))
    : undefined;
  return (list ?? []).map(String);
}

function sameSet(asked: readonly string[], listed: readonly string[]): boolean {
  const wanted = new Set(asked);
  return wanted.size === new Set(listed).size && listed.every((value) => wanted.has(value));
}
