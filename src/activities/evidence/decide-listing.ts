/**
 * Which record of a listing is the one that an unknown call made, or changed? Pure (design 10). It matches what was asked and
 * was not there before; two that match decide nothing, because one may be somebody else's.
 */
import {
  isJsonObject,
  parseOab,
  formatOabQuery,
  textOf,
  type Json,
  type JsonObject,
  type NoticeMonitor,
  type Radar,
} from '../../contract/index.js';
import { decideEnsure } from '../monitors/decide-ensure.js';

export type ListingVerdict =
  { readonly ours: true; readonly records: readonly Json[] } | { readonly ours: false; readonly because: string };

export interface Before {
  /** Ids of active records before the call. */
  readonly ids: readonly string[];
  readonly complete: boolean;
}

/** Every registration that was asked for has an active monitor now that was not active before. */
export function decideCreatedNoticeMonitors(
  asked: readonly string[],
  listed: readonly NoticeMonitor[],
  before: Before,
): ListingVerdict {
  if (!before.complete) return { ours: false, because: 'the listing before the call was not complete' };
  const records: Json[] = [];
  for (const oab of asked) {
    const fresh = listed.filter(
      (monitor) => monitor.oab === oab && monitor.active === true && isNew(monitor.id, before),
    );
    const kept = listed.some((monitor) => monitor.oab === oab && monitor.active === true && !isNew(monitor.id, before));
    const [only] = fresh;
    if (fresh.length > 1) return { ours: false, because: 'more than one new monitor matches' };
    if (only === undefined && !kept) return { ours: false, because: 'no new monitor matches' };
    if (only !== undefined) records.push(only.data);
  }
  return records.length === 0 ? { ours: false, because: 'no new monitor matches' } : { ours: true, records };
}

/** The monitor is as asked now; whether it was so before does not matter. */
export function decideUpdatedNoticeMonitor(
  asked: { readonly oab: string; readonly body: JsonObject },
  listed: readonly NoticeMonitor[],
): ListingVerdict {
  const { create, update } = decideEnsure({ oabs: [asked.oab], ...definitionOf(asked.body) }, listed);
  const record = listed.find((monitor) => monitor.oab === asked.oab && monitor.active === true);
  if (create.length > 0 || update.length > 0 || record === undefined) {
    return { ours: false, because: 'the monitor is not as asked' };
  }
  return { ours: true, records: [record.data] };
}

/** One radar that was not there before has the asked term. */
export function decideCreatedRadar(definition: JsonObject, listed: readonly Radar[], before: Before): ListingVerdict {
  if (!before.complete) return { ours: false, because: 'the listing before the call was not complete' };
  const term = ['termo', 'term', 'nome'].map((name) => textOf(definition[name])).find((text) => text !== undefined);
  if (term === undefined) return { ours: false, because: 'what was asked has no term to be found by' };
  const fresh = listed.filter((radar) => isNew(radar.id, before) && radar.term === term);
  const [only] = fresh;
  if (only === undefined) return { ours: false, because: 'no new radar matches' };
  return fresh.length > 1
    ? { ours: false, because: 'more than one new radar matches' }
    : { ours: true, records: [only.data] };
}

/** Registrations of a create call, in either form. */
export function askedOabs(body: JsonObject, params: Readonly<Record<string, unknown>>): readonly string[] {
  const list = body['oabs'] ?? params['oabs'];
  const single = {
    numero: body['oab_numero'] ?? params['oab_numero'],
    estado: body['oab_estado'] ?? params['oab_estado'],
  };
  const given: readonly unknown[] = Array.isArray(list)
    ? (list as unknown[])
    : typeof list === 'string'
      ? list.split(',')
      : [single];
  return given.flatMap((value) => {
    const read = parseOab(value);
    return read.ok ? [formatOabQuery(read.oab)] : [];
  });
}

function isNew(id: string | null, { ids }: Before): boolean {
  return id !== null && !ids.includes(id);
}

function definitionOf(body: JsonObject): {
  terms?: readonly string[];
  origins?: readonly string[];
  webhookUrl?: string;
} {
  const texts = (value: unknown): readonly string[] | undefined =>
    Array.isArray(value) ? (value as unknown[]).map(String) : undefined;
  const terms = texts(body['termos_auxiliares']);
  const origins = texts(body['origens_ids']);
  const webhookUrl = textOf(body['webhook_url']);
  return {
    ...(terms === undefined ? {} : { terms }),
    ...(origins === undefined ? {} : { origins }),
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
  };
}

/** True for a JSON object; what else a body may be is nobody's definition. */
export function asObject(body: unknown): JsonObject {
  return isJsonObject(body) ? body : {};
}
