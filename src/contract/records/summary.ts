/**
 * The AI summary of a case (observed: `state: "success"`; the interface shows no member). Informative: it carries its
 * date, and it inherits the secrecy of its case.
 */
import { z } from 'zod';
import { cnj, content, flag, instantMs, key, text } from './fields.js';
import { readOneRecord, shape, type DomainRecord } from './read-records.js';

const COLUMNS = {
  cnj: cnj('numeroCnj'),
  text: key(content('conteudo', 'resumo', 'texto', 'summary', 'content')),
  state: text('state', 'status'),
  updatedAtMs: instantMs('atualizadoEm', 'updatedAt', 'geradoEm'),
  cached: flag('cached'),
};

const SHAPE = shape(COLUMNS, { known: ['requestId'], floor: 'SENSITIVE' });

export type Summary = DomainRecord<typeof COLUMNS>;

export const summaryWire = z.looseObject({
  numeroCnj: z.string().nullish(),
  conteudo: z.string().nullish(),
  atualizadoEm: z.string().nullish(),
  state: z.string().nullish(),
});

/** Undefined when the body is no object. `text` is null while the summary is not ready. */
export function readSummary(body: unknown): Summary | undefined {
  return readOneRecord(SHAPE, body);
}
