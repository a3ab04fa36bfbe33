/** Items of the electoral gazette and of the bulletin board. The interface shows no member but `id`. */
import { z } from 'zod';
import { cnj, content, day, instantMs, key, text } from './fields.js';
import { readOneRecord, readRecordList, shape, type DomainRecord, type RecordList } from './read-records.js';

const COLUMNS = {
  id: key(text('id', 'uuid', 'publicacaoId')),
  cnj: cnj('numeroCnj', 'numeroProcesso', 'processo.numeroCnj'),
  court: text('tribunal', 'siglaTribunal', 'tre'),
  unit: text('unidade', 'orgaoJulgador', 'orgao'),
  locality: text('localidade', 'municipio'),
  edition: text('edicao.id', 'edicaoId', 'edicao'),
  publishedOn: day('dataPublicacao', 'data'),
  publishedAtMs: instantMs('publicadoEm', 'dataHoraPublicacao'),
  kind: text('tipo', 'tipoDocumento', 'documento'),
  title: text('titulo', 'classe'),
  text: content('conteudo', 'texto', 'teor'),
};

const SHAPE = shape(COLUMNS, {
  known: ['partes', 'advogados', 'link', 'links', 'caderno', 'pagina', 'uf'],
  floor: 'SENSITIVE',
});

/** One publication of the electoral gazette or board. */
export type ElectoralItem = DomainRecord<typeof COLUMNS>;

export const electoralItemWire = z.looseObject({ id: z.union([z.string(), z.number()]).nullish() });
export const boardWire = z.looseObject({
  items: z.array(electoralItemWire).nullish(),
  publicacoes: z.array(electoralItemWire).nullish(),
});

/** Undefined when there is no list. */
export function readBoard(body: unknown): RecordList<typeof COLUMNS> | undefined {
  return readRecordList(SHAPE, body, ['publicacoes', 'items', 'results']);
}

/** Undefined when the body is no object. */
export function readElectoralPublication(body: unknown): ElectoralItem | undefined {
  return readOneRecord(SHAPE, body);
}
