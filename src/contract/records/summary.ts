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
  /** It holds sentences of its own, under whatever name. */
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
/** What is said about the work or the case is no summary. */
const ABOUT =
  /^(?:raw|meta|tribunal|status.*|state|estado|situacao|etapa|fase|mensagem|message|msg|detail|detalhe|aviso|avisos|warning|warnings|error|erro)$/i;

/** Ids, states and addresses have no blanks, and times are known by their form. */
function hasWords(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return /\S\s+\S/.test(value) && readCivilDate(value) === undefined;
  if (typeof value !== 'object' || value === null || depth === 0) return false;
  return Object.entries(value).some(([name, member]) => !ABOUT.test(name) && hasWords(member, depth - 1));
}
