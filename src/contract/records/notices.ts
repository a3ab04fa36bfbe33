/**
 * Notices (intimações), full texts of publications, and gazette items of a lawyer (interface, rule 12; columns as observed).
 * A notice has up to three dates. Each has its own column; none is derived from another, and no deadline is computed. A
 * publication can be cancelled later. Masked parties do not make a text safe.
 */
import { z } from 'zod';
import { readMeta } from '../envelope.js';
import { atPath, firstAt, isJsonObject, textOf } from '../json.js';
import { readPage } from '../page.js';
import { parseOab, readOabQuery, readServiceAmount, type Amount, type OabKey } from '../values/index.js';
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

/** Where the link to the publication may be. */
const LINKS = [
  'link',
  'link.href',
  'links.publicacao',
  'links.publicacao.href',
  'linkPublicacao',
  'link_publicacao',
  'links.self.href',
];

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
  link: content(...LINKS),
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

/** One notice of a registration. */
export type Notice = DomainRecord<typeof COLUMNS> & {
  /** Id of the full text: `diarioId`, else from a link to `/publicacoes/{diarioId}` anywhere in the record. */
  readonly publicationId: string | null;
  /** The registrations that it lists as addressees; empty if it has no such list. */
  readonly oabs: readonly OabKey[];
};

/** One list of notices. */
export interface NoticeList {
  /** In the order of the answer. */
  readonly records: readonly Notice[];
  /** Notices in all, as the service reports; null when it does not. */
  readonly total: number | null;
  /** The service has more than it gave: its total is larger, or it names a next page. */
  readonly cut: boolean;
  /** Registrations that the service says have no monitor. */
  readonly missingMonitors: number;
  /** The readable ones of them, as the service takes them: `SP:123456`. */
  readonly unmonitored: readonly string[];
  /** Of the answer as a whole; null where it does not say. Prices in ten-thousandths of the currency. */
  readonly billing: { readonly registrations: number | null; readonly pricePerRegistration: Amount | null };
  /** How the answer differs from the expected form; each record has its own. */
  readonly drift: readonly Drift[];
}

const noticeWire = z.looseObject({ id: z.union([z.string(), z.number()]).nullish(), link: z.unknown().optional() });
export const noticesWire = z.looseObject({
  intimacoes: z.array(noticeWire).nullish(),
  items: z.array(noticeWire).nullish(),
  total: z.number().nullish(),
});
export const publicationWire = noticeWire;

/** Undefined when there is no list. */
export function readNotices(body: unknown): NoticeList | undefined {
  const list =
    readRecordList(SHAPE, body, ['intimacoes', 'items', 'notices']) ?? (isEmptyResult(body) ? NO_NOTICES : undefined);
  if (list === undefined) return undefined;
  const top = recordIn(body);
  const missing = atPath(top, 'missingMonitorings');
  const total = totalIn(top);
  const listed = list.records.length;
  const { next } = readPage(body, { target: '', baseUrl: '', page: 1, listed });
  return {
    records: list.records.map(withPublication),
    total,
    cut: (total ?? 0) > listed || (next.kind !== 'end' && next.kind !== 'unsaid'),
    missingMonitors: Array.isArray(missing) ? missing.length : 0,
    unmonitored: Array.isArray(missing) ? missing.flatMap((value) => readOabQuery(value) ?? []) : [],
    billing: {
      registrations: readCount(atPath(top, 'billing.billableOabs')) ?? null,
      pricePerRegistration: readServiceAmount(atPath(top, 'billing.pricePerOab')) ?? null,
    },
    drift: list.drift,
  };
}

const NO_NOTICES: RecordList<typeof COLUMNS> = { records: [], drift: [] };

/**
 * True for an empty envelope that reports consumption: the query was made and found nothing. False when `meta` has an error,
 * a partial answer or a count, or when another member may be the result or an error.
 */
function isEmptyResult(body: unknown): boolean {
  if (!isJsonObject(body)) return false;
  const { data, meta, ...others } = body;
  if (saysMore(others)) return false;
  const isEmpty = data === null || (isJsonObject(data) && Object.keys(data).length === 0);
  if (!isEmpty || !isJsonObject(meta) || NOT_EMPTY.some((name) => Boolean(meta[name]))) return false;
  const { charged, searchLogId } = readMeta(body);
  return charged !== null || searchLogId !== null;
}

const NOT_EMPTY = ['error', 'errors', 'partial', 'total', 'pagination'];
/** Names of members about errors, counts and further pages. */
const TELLING = /err|parcial|partial|total|pagina|status|state|code|codigo|next|link/i;

/** A list with items, a sentence, or a member with a telling name, at any depth. */
function saysMore(value: unknown): boolean {
  if (typeof value === 'string') return /\S\s+\S/.test(value);
  if (Array.isArray(value)) return value.length > 0;
  return (
    isJsonObject(value) &&
    Object.entries(value).some(([name, member]) => Boolean(member) && (TELLING.test(name) || saysMore(member)))
  );
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
  const publicationId = own ?? firstAt(data, LINKS, publicationOf) ?? onlyIdIn(data) ?? null;
  return { ...record, drift: known, publicationId, oabs: oabsIn(data) };
}

/** Where a notice may list the lawyers that it is addressed to. */
const ADDRESSEES = ['oabs', 'destinatarioadvogados', 'destinatarioAdvogados', 'destinatario_advogados'];

/** Each is a registration, or has it as a member or in `advogado`. */
function oabsIn(data: unknown): readonly OabKey[] {
  const lawyers = ADDRESSEES.map((name) => atPath(data, name)).find((list) => Array.isArray(list)) ?? [];
  return (lawyers as readonly unknown[]).flatMap((lawyer) => {
    const read = parseOab(atPath(lawyer, 'advogado') ?? lawyer);
    return read.ok ? [read.key] : [];
  });
}

const MAX_LINK = 2_000;
const LINK_DEPTH = 4;

/** Only the id is used: a link of the service is never followed. */
function publicationOf(link: unknown): string | undefined {
  if (typeof link !== 'string' || link.length > MAX_LINK) return undefined;
  const segment = /^\S*(?<!eleitoral)\/publicacoes\/([^/?#\s]{1,200})\/?(?:[?#]\S*)?$/.exec(link.trim())?.[1];
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** The only id in all links of a notice; undefined when there are several, because one may be of another notice. */
function onlyIdIn(data: unknown): string | undefined {
  const ids = new Set<string>();
  const look = (value: unknown, depth: number): void => {
    const id = publicationOf(value);
    if (id !== undefined) ids.add(id);
    if (typeof value !== 'object' || value === null || depth === 0) return;
    for (const member of Object.values(value)) look(member, depth - 1);
  };
  look(data, LINK_DEPTH);
  const [only, ...others] = ids;
  return others.length === 0 ? only : undefined;
}
