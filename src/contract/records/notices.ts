/**
 * Notices (intimações), full texts of publications, and gazette items of a lawyer (interface, rule 12; columns as
 * observed). A notice has up to three dates; each has its own column, none is derived from another, no deadline is computed. A
 * publication can be cancelled later. Masked parties do not make a text safe.
 */
import { z } from 'zod';
import { atPath, isJsonObject, textOf } from '../json.js';
import { readServiceAmount, type Amount } from '../values/index.js';
import type { Drift } from './drift.js';
import { cnj, content, day, flag, key, oab, readCount, text } from './fields.js';
import {
  readOneRecord,
  readRecordList,
  recordIn,
  shape,
  totalIn,
  type DomainRecord,
  type RecordList,
} from './read-records.js';

const COLUMNS = {
  id: key(text('id', 'uuid')),
  oab: oab('oab', 'destinatarioAdvogado'),
  cnj: cnj('processo.numeroCnj', 'numeroCnj', 'numeroProcesso', 'processo.numeroNovo', 'processoId'),
  madeAvailableOn: day('dataDisponibilizacao', 'datadisponibilizacao'),
  publishedOn: day('dataPublicacao'),
  deadlineStartsOn: day('dataInicioPrazo'),
  /** A single date that does not say which of the three it is. */
  date: day('data'),
  gazette: text('diario.sigla', 'diario', 'diarioOficial', 'siglaTribunal', 'tribunal'),
  section: text('caderno', 'secao'),
  page: text('pagina'),
  kind: text('tipoComunicacao', 'tipo'),
  title: text('titulo', 'processo.titulo'),
  text: content('conteudo', 'texto', 'resumo'),
  html: content('conteudoCompletoHtml', 'html'),
  link: content('link', 'links.publicacao', 'links.self.href'),
  active: flag('ativo'),
  cancelledOn: day('dataCancelamento'),
};

const SHAPE = shape(COLUMNS, {
  known: [
    'envolvidos',
    'destinatarios',
    'destinatarioadvogados',
    'motivoCancelamento',
    'status',
    'hash',
    'links',
    'processo',
    'estado',
  ],
  floor: 'SENSITIVE',
});

export type Notice = DomainRecord<typeof COLUMNS> & {
  /** Id for the full text: `diarioId`, else the last segment of the link to `/publicacoes/{diarioId}`. */
  readonly publicationId: string | null;
};

export interface NoticeList {
  readonly records: readonly Notice[];
  readonly total: number | null;
  /** Registrations that the service says have no monitor. */
  readonly missingMonitors: number;
  readonly billing: { readonly registrations: number | null; readonly pricePerRegistration: Amount | null };
  readonly drift: readonly Drift[];
}

const noticeWire = z.looseObject({ id: z.union([z.string(), z.number()]).nullish(), link: z.unknown().optional() });
export const noticesWire = z.looseObject({
  intimacoes: z.array(noticeWire).nullish(),
  items: z.array(noticeWire).nullish(),
  total: z.number().nullish(),
});
export const publicationWire = noticeWire;
export const gazettesWire = z.looseObject({
  items: z.array(z.looseObject({})).nullish(),
  publicacoes: z.array(z.looseObject({})).nullish(),
  processos: z.array(z.looseObject({})).nullish(),
});

/** Undefined when there is no list. */
export function readNotices(body: unknown): NoticeList | undefined {
  const list = readRecordList(SHAPE, body, ['intimacoes', 'items', 'notices']);
  if (list === undefined) return undefined;
  const top = recordIn(body);
  const missing = atPath(top, 'missingMonitorings');
  return {
    records: list.records.map(withPublication),
    total: totalIn(top),
    missingMonitors: Array.isArray(missing) ? missing.length : 0,
    billing: {
      registrations: readCount(atPath(top, 'billing.billableOabs')) ?? null,
      pricePerRegistration: readServiceAmount(atPath(top, 'billing.pricePerOab')) ?? null,
    },
    drift: list.drift,
  };
}

/** The full text of one publication. Undefined when the body is no object. */
export function readPublication(body: unknown): Notice | undefined {
  const record = readOneRecord(SHAPE, body);
  return record && withPublication(record);
}

/** Cases and publications tied to a registration. Undefined when there is no list. */
export function readGazettes(body: unknown): RecordList<typeof COLUMNS> | undefined {
  return readRecordList(SHAPE, body, ['items', 'publicacoes', 'diarios', 'processos']);
}

function withPublication(record: DomainRecord<typeof COLUMNS>): Notice {
  const data = record.data;
  const own = isJsonObject(data) ? (textOf(data['diarioId']) ?? textOf(data['diario_id'])) : undefined;
  const known = record.drift.filter(({ member }) => member !== 'diarioId' && member !== 'diario_id');
  return { ...record, drift: known, publicationId: own ?? publicationOf(record.link) ?? null };
}

/** Only the id is taken: a link of the service is never followed. */
function publicationOf(link: string | null): string | undefined {
  const segment = /\/publicacoes\/([^/?#\s]{1,200})(?:[?#]|$)/.exec(link ?? '')?.[1];
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
