/**
 * Monitors that bill again and again: of notices, cases, and radars for new cases (interface "Other named fields";
 * columns as observed). Status is an open word; whether the monitor is on is read from it or from a flag of its own.
 */
import { z } from 'zod';
import { atPath } from '../json.js';
import { parseOab, readServiceAmount, type Amount, type OabKey } from '../values/index.js';
import type { Drift } from './drift.js';
import { amount, cnj, content, day, flag, instantMs, key, oab, readCount, readFlag, readText, text } from './fields.js';
import {
  findList,
  readDomainRecord,
  recordIn,
  shape,
  type Columns,
  type DomainRecord,
  type RecordShape,
} from './read-records.js';

const COMMON = {
  id: key(text('id', 'uuid', 'monitoramentoId')),
  status: text('status', 'situacao'),
  active: flag('ativo', 'status', 'active', 'enabled'),
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
  known: [...COMMON_KNOWN, 'estado', 'uf', 'numero', 'termosAuxiliares', 'origensIds'],
  floor: 'PERSONAL',
});
const CASE = shape(CASE_COLUMNS, { known: [...COMMON_KNOWN, 'tribunal'], floor: 'PERSONAL' });
const RADAR = shape(RADAR_COLUMNS, {
  known: [...COMMON_KNOWN, 'variacoes', 'tribunais', 'filtros', 'termosAuxiliares'],
  floor: 'PERSONAL',
});

export type NoticeMonitor = DomainRecord<typeof NOTICE_COLUMNS>;
export type CaseMonitor = DomainRecord<typeof CASE_COLUMNS>;
export type Radar = DomainRecord<typeof RADAR_COLUMNS>;

export interface MonitorList<M> {
  readonly monitors: readonly M[];
  /** Of the answer as a whole (`callback.enabled`, `callback.mode`); null where it does not say. */
  readonly callback: { readonly enabled: boolean | null; readonly mode: string | null };
  readonly billing: { readonly registrations: number | null; readonly pricePerRegistration: Amount | null };
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

/** Listing, and result of creating or changing. Undefined when there is neither list nor record. */
export function readNoticeMonitors(body: unknown): MonitorList<NoticeMonitor> | undefined {
  const list = readMonitors(NOTICE, body);
  return (
    list && {
      ...list,
      monitors: list.monitors.map((monitor) => ({ ...monitor, oab: monitor.oab ?? besideOf(monitor.data) })),
    }
  );
}

export function readCaseMonitors(body: unknown): MonitorList<CaseMonitor> | undefined {
  return readMonitors(CASE, body);
}

export function readRadars(body: unknown): MonitorList<Radar> | undefined {
  return readMonitors(RADAR, body);
}

/** Observed: number and state stand beside each other in the record itself, without an `oab`. */
function besideOf(record: unknown): OabKey | null {
  const read = parseOab(record);
  return read.ok ? read.key : null;
}

function readMonitors<C extends Columns>(
  monitorShape: RecordShape<C>,
  body: unknown,
): MonitorList<DomainRecord<C>> | undefined {
  const found = findList(body, ['monitoramentos', 'items', 'monitors', 'radares'], false);
  const top = recordIn(body);
  const nested = atPath(top, 'monitoramento') ?? atPath(top, 'radar');
  const items =
    found !== undefined && found.drift.length === 0 ? found.items : top === undefined ? found?.items : [nested ?? top];
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
