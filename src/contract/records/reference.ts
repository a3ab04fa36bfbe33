/** Reference lists: administrative bodies (`ATIVO`, `BETA`) and court systems. They are about nobody: the only PUBLIC records. */
import { z } from 'zod';
import { key, text } from './fields.js';
import { readRecordList, shape, type DomainRecord, type RecordList } from './read-records.js';

const COLUMNS = {
  id: text('id', 'codigo', 'sigla'),
  name: key(text('nome', 'name', 'descricao', 'sigla')),
  acronym: text('sigla'),
  status: text('status', 'situacao'),
  court: text('tribunal'),
  uf: text('uf', 'estado'),
  source: text('fonte', 'source'),
};

const SHAPE = shape(COLUMNS, {
  known: [
    'capacidades',
    'capabilities',
    'escopo',
    'scope',
    'restricoes',
    'restrictions',
    'requisitos',
    'sistema',
    'url',
    'grau',
    'graus',
    'jtr',
  ],
  floor: 'PUBLIC',
});

/** An administrative body or a court system. */
export type ReferenceEntry = DomainRecord<typeof COLUMNS>;

export const referenceWire = z.union([
  z.array(z.looseObject({})),
  z.looseObject({ items: z.array(z.looseObject({})).nullish() }),
]);

/** Administrative bodies or court systems. Undefined when there is no list. */
export function readReferenceList(body: unknown): RecordList<typeof COLUMNS> | undefined {
  return readRecordList(SHAPE, body, ['items', 'orgaos', 'sistemas', 'systems', 'bodies']);
}
