/**
 * Monitors, which are billed again and again: of notices, of cases, and radars for new cases (interface "Other named
 * fields"; columns as observed). Status is an open word; whether the monitor is on is read from it or from a flag.
 */
import { z } from 'zod';
import { atPath, isJsonObject, type JsonObject } from '../json.js';
import { parseOab, readServiceAmount, type Amount, type OabKey } from '../values/index.js';
import { drift, type Drift } from './drift.js';
import { amount, cnj, content, day, flag, instantMs, key, oab, readCount, readFlag, readText, text } from './fields.js';
import {
  findList,
  readDomainRecord,
  recordIn,
  shape,
  totalIn,
  type Columns,
  type DomainRecord,
  type RecordShape,
} from './read-records.js';

const COMMON = {
  id: key(text('id', 'uuid', 'monitoramentoId')),
  status: text('status', 'situacao'),
  active: flag('ativo', 'status', 'situacao', 'active', 'enabled'),
  webhookUrl: content('webhookUrl', 'webhook.url', 'callback.url'),
  monthlyPrice: amount('valorMensal', 'cobranca.valorMensal', 'billing.pricePerOab', 'billing.price'),
  nextDebitOn: day('cobranca.proximoDebitoEm', 'billing.nextDebitAt'),
  createdAtMs: instantMs('criadoEm', 'createdAt'),
  deactivatedAtMs: instantMs('desativadoEm', 'deactivatedAt'),
};
const COMMON_KNOWN = ['cobranca', 'billing', 'webhook', 'callback', 'moeda', 'currency'];

const NOTICE_COLUMNS = {
  ...COMMON,
  oab: oab('oab'),
  term: text('termo'),
  callbackEnabled: flag('callbackEnabled', 'callback.enabled'),
  reused: flag('reused'),
};
const CASE_COLUMNS = { ...COMMON, cnj: key(cnj('numeroCnj', 'processo.numeroCnj')), frequency: text('frequencia') };
const RADAR_COLUMNS = { ...COMMON, term: text('termo', 'term', 'nome') };

const NOTICE = shape(NOTICE_COLUMNS, {
  known: [...COMMON_KNOWN, 'oabs', 'estado', 'uf', 'numero', 'termosAuxiliares', 'origensIds'],
  floor: 'PERSONAL',
});
const CASE = shape(CASE_COLUMNS, { known: [...COMMON_KNOWN, 'tribunal'], floor: 'PERSONAL' });
const RADAR = shape(RADAR_COLUMNS, {
  known: [...COMMON_KNOWN, 'variacoes', 'tribunais', 'filtros', 'termosAuxiliares'],
  floor: 'PERSONAL',
});

/** A monitor of lawyers' notices. */
export type NoticeMonitor = DomainRecord<typeof NOTICE_COLUMNS> & {
  /** All registrations that the record names; an unreadable one is drift of `oabs`. */
  readonly oabs: readonly string[];
};
/** A monitor of one case. */
export type CaseMonitor = DomainRecord<typeof CASE_COLUMNS>;
/** A radar: a monitor of new cases. */
export type Radar = DomainRecord<typeof RADAR_COLUMNS>;

/** Monitors of one kind, with what they bill. */
export interface MonitorList<M> {
  /** Active and inactive ones, in the order of the answer (interface "States and transitions"). */
  readonly monitors: readonly M[];
  /** Of the answer as a whole (`callback.enabled`, `callback.mode`); null where it does not say. */
  readonly callback: { readonly enabled: boolean | null; readonly mode: string | null };
  /** Of the answer as a whole; null where it does not say. Prices in ten-thousandths of the currency. */
  readonly billing: { readonly registrations: number | null; readonly pricePerRegistration: Amount | null };
  /** How the answer differs from the expected form; each record has its own. */
  readonly drift: readonly Drift[];
}

const monitorWire = z.looseObject({ id: z.union([z.string(), z.number()]).nullish(), status: z.string().nullish() });
export const monitorsWire = z.looseObject({
  monitoramentos: z.array(monitorWire).nullish(),
  items: z.array(monitorWire).nullish(),
  callback: z.looseObject({ enabled: z.boolean().nullish(), mode: z.string().nullish() }).nullish(),
  billing: z.looseObject({}).nullish(),
});
export const monitorRecordWire = monitorWire;

/** In the answer to a change, the only list may be a member of the one record. In a listing it is the list of monitors. */
export type MonitorAnswer = 'change' | 'listing';

/** Undefined when there is neither list nor record. */
export function readNoticeMonitors(body: unknown, answer?: MonitorAnswer): MonitorList<NoticeMonitor> | undefined {
  const list = readMonitors(NOTICE, body, answer);
  return list && { ...list, monitors: list.monitors.map(withRegistrations) };
}

/** Reads monitors of cases. Undefined when there is neither list nor record. */
export function readCaseMonitors(body: unknown, answer?: MonitorAnswer): MonitorList<CaseMonitor> | undefined {
  return readMonitors(CASE, body, answer);
}

/** Reads radars. Undefined when there is neither list nor record. */
export function readRadars(body: unknown, answer?: MonitorAnswer): MonitorList<Radar> | undefined {
  return readMonitors(RADAR, body, answer);
}

/** Observed: number and state in the record itself, or `oab`. `oabs` is the member of the request. */
function withRegistrations(record: DomainRecord<typeof NOTICE_COLUMNS>): NoticeMonitor {
  const named = atPath(record.data, 'oabs');
  const several = (typeof named === 'string' ? named.split(',') : Array.isArray(named) ? (named as unknown[]) : [named])
    .filter((value) => value !== undefined && value !== null)
    .map((value) => oabIn(value) ?? oabIn(atPath(value, 'oab')));
  const first = record.oab ?? oabIn(record.data);
  const oabs = [...new Set([first, ...several])].filter((key) => key !== undefined);
  return {
    ...record,
    oab: oabs[0] ?? null,
    oabs,
    drift: several.includes(undefined) ? [...record.drift, drift('oabs', 'unreadable')] : record.drift,
  };
}

function oabIn(value: unknown): OabKey | undefined {
  const read = parseOab(value);
  return read.ok ? read.key : undefined;
}

function readMonitors<C extends Columns>(
  monitorShape: RecordShape<C>,
  body: unknown,
  answer: MonitorAnswer = 'change',
): MonitorList<DomainRecord<C>> | undefined {
  const top = recordIn(body);
  const items = answer === 'listing' ? itemsOfListing(monitorShape, body) : itemsOfChange(body);
  if (items === undefined) return undefined;
  return {
    monitors: items.map((item) => readDomainRecord(monitorShape, item)),
    callback: {
      enabled: readFlag(atPath(top, 'callback.enabled')) ?? null,
      mode: readText(atPath(top, 'callback.mode')) ?? null,
    },
    billing: {
      registrations: readCount(atPath(top, 'billing.billableOabs')) ?? null,
      pricePerRegistration:
        readServiceAmount(atPath(top, 'billing.pricePerNewOab')) ??
        readServiceAmount(atPath(top, 'billing.pricePerOab')) ??
        null,
    },
    drift: [],
  };
}

const LISTS = ['monitoramentos', 'items', 'monitors', 'radares'];

function itemsOfChange(body: unknown): readonly unknown[] | undefined {
  const named = findList(body, LISTS, { mayBeNull: false });
  if (named?.drift.length === 0) return named.items;
  const top = recordIn(body);
  return top === undefined ? named?.items : [singleRecordIn(top) ?? top];
}

/** Members that may accompany a list. */
const BESIDE = ['pagination', 'meta', 'links', 'callback', 'billing'];

/**
 * A single record is not a list, whatever lists it has, and an answer that cannot be read is not an empty list: a monitor
 * that is overlooked is created again.
 */
function itemsOfListing(monitorShape: RecordShape<Columns>, body: unknown): readonly unknown[] | undefined {
  const named = findList(body, LISTS, { mayBeNull: false });
  if (named?.drift.length === 0) return named.items;
  const top = recordIn(body);
  const single = singleRecordIn(top);
  if (single !== undefined) return [single];
  const columns = readDomainRecord(monitorShape, top) as Readonly<Record<string, unknown>>;
  const isRecord = ['id', 'oab', 'cnj', 'term'].some((name) => (columns[name] ?? null) !== null);
  if (isRecord || oabIn(top) !== undefined) return [top];
  const filled = Object.entries(top ?? {}).flatMap(([name, value]) =>
    BESIDE.includes(name) || typeof value !== 'object' || Object.keys(value ?? {}).length === 0 ? [] : [value],
  );
  const lists = filled.filter((value) => Array.isArray(value) && value.some(isJsonObject));
  if (lists.length > 0) return lists.length === 1 ? (lists[0] as readonly unknown[]) : undefined;
  const total = totalIn(top);
  const saysNone = total === 0 || (total === null && findList(body, LISTS)?.items.length === 0);
  return saysNone && filled.length === 0 ? [] : undefined;
}

/** Names of a member that holds a single record. */
const OWN_RECORD = /monitor|radar|^(?:item|record|registro|result|resultado)$/i;

function singleRecordIn(top: JsonObject | undefined): unknown {
  const named = atPath(top, 'monitoramento') ?? atPath(top, 'radar');
  return named ?? Object.entries(top ?? {}).find(([name, value]) => OWN_RECORD.test(name) && hasId(value))?.[1];
}

function hasId(value: unknown): boolean {
  return isJsonObject(value) && readDomainRecord(CASE, value).id !== null;
}
