/**
 * Public documents of a case (interface "Other named fields"; item as observed). `downloadUrl` is a signed link: anyone who
 * has it can open the document. `data` has it too: remove both before anything is stored.
 */
import { z } from 'zod';
import { content, count, day, text } from './fields.js';
import { readRecordList, shape, type DomainRecord, type RecordList } from './read-records.js';

const COLUMNS = {
  id: text('id', 'documentoId', 'uuid', 'key'),
  title: text('titulo', 'title', 'nome', 'name'),
  description: text('descricao'),
  kind: text('tipo', 'type'),
  extension: text('extensaoArquivo'),
  date: day('data', 'dataDocumento'),
  pages: count('quantidadePaginas'),
  downloadUrl: content('downloadUrl', 'url'),
};

const SHAPE = shape(COLUMNS, { floor: 'SENSITIVE' });

/** One public document, with its signed link. */
export type DocumentRecord = DomainRecord<typeof COLUMNS>;

export const documentsWire = z.looseObject({
  documentos: z.array(z.looseObject({ downloadUrl: z.string().nullish() })).nullish(),
  items: z.array(z.looseObject({ downloadUrl: z.string().nullish() })).nullish(),
});

/** Undefined when there is no list. */
export function readDocuments(body: unknown): RecordList<typeof COLUMNS> | undefined {
  return readRecordList(SHAPE, body, ['documentos', 'items', 'documents', 'documentosPublicos', 'documentos_publicos']);
}
