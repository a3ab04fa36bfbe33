/**
 * Payment orders (precatórios) in both modes (interface "Precatório catalogue metadata"). Budget rows may
 * have neither case number nor beneficiary, index rows neither value nor year; a budget year is no payment date.
 */
import { atPath, textOf } from '../json.js';
import { amount, cnj, count, day, key, text } from './fields.js';
import { readRecordList, shape, type DomainRecord, type RecordList } from './read-records.js';

const COLUMNS = {
  id: key(text('id', 'uuid')),
  number: text('numeroPrecatorio', 'numero'),
  cnj: cnj('numeroCnj', 'processo.numeroCnj'),
  court: text('tribunal', 'siglaTribunal'),
  jtr: text('jtr'),
  uf: text('uf', 'estado'),
  nature: text('natureza'),
  debtor: text('entidadeDevedora', 'devedor'),
  debtorCnpj: text('entidadeDevedora.cnpj'),
  budgetYear: count('anoOrcamentario'),
  presentedOn: day('dataApresentacao'),
  requestedValue: amount('valorRequisitado', 'valor'),
  updatedValue: amount('valorAtualizado'),
  valueDate: day('dataBase'),
  situation: text('situacao', 'status'),
  order: count('ordemCronologica'),
};

const SHAPE = shape(COLUMNS, {
  known: ['preferencia', 'beneficiario', 'partes', 'publicacoes', 'links'],
  floor: 'PERSONAL',
});

/** One precatório. */
export type Precatorio = DomainRecord<typeof COLUMNS>;

/** One page of precatórios. */
export interface PrecatorioList extends RecordList<typeof COLUMNS> {
  /** `PRECATORIO_BUDGET`, `PRECATORIO_PROCESS_INDEX` or another word; null when not given. */
  readonly mode: string | null;
}

/** Undefined when there is no list. */
export function readPrecatorios(body: unknown): PrecatorioList | undefined {
  const list = readRecordList(SHAPE, body, ['precatorios', 'items', 'results']);
  return list && { ...list, mode: textOf(atPath(body, 'meta.search.mode')) ?? null };
}
