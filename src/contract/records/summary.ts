/**
 * The AI summary of a case (observed: `state: "success"`; the interface shows no member). Informative: it carries its
 * date, and it inherits the secrecy of its case.
 */
import { z } from 'zod';
import { readCivilDate } from '../service-time.js';
import { cnj, content, flag, instantMs, key, text } from './fields.js';
import { readOneRecord, shape, type DomainRecord } from './read-records.js';

const TEXTS = ['conteudo', 'resumo', 'texto', 'summary', 'content'];

const COLUMNS = {
  cnj: cnj('numeroCnj'),
  text: key(content(...TEXTS, ...TEXTS.flatMap((outer) => TEXTS.map((inner) => `${outer}.${inner}`)))),
  state: text('state', 'status'),
  updatedAtMs: instantMs('atualizadoEm', 'updatedAt', 'geradoEm'),
  cached: flag('cached'),
};

const SHAPE = shape(COLUMNS, { known: ['requestId'], floor: 'SENSITIVE' });

/** The AI summary of a case. */
export type Summary = DomainRecord<typeof COLUMNS> & {
  /** True when it holds sentences, under whatever name. */
  readonly hasWords: boolean;
};

export const summaryWire = z.looseObject({
  numeroCnj: z.string().nullish(),
  conteudo: z.string().nullish(),
  atualizadoEm: z.string().nullish(),
  state: z.string().nullish(),
});

/** Undefined when the body is no object. `text` is null while the summary is not ready, or where its place is not known. */
export function readSummary(body: unknown): Summary | undefined {
  const record = readOneRecord(SHAPE, body);
  return record && { ...record, hasWords: hasWords(record.data, MAX_DEPTH) };
}

const MAX_DEPTH = 6;
/** Members about the work or the case, whose text is no summary. */
const ABOUT =
  /^(?:raw|meta|tribunal|status.*|state|estado|situacao|etapa|fase|mensagem|message|msg|detail|detalhe|aviso|avisos|warning|warnings|error|erro)$/i;

/** A text with blanks that is not a time: ids, states and addresses have no blanks. */
function hasWords(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return /\S\s+\S/.test(value) && readCivilDate(value) === undefined;
  if (typeof value !== 'object' || value === null || depth === 0) return false;
  return Object.entries(value).some(([name, member]) => !ABOUT.test(name) && hasWords(member, depth - 1));
}
