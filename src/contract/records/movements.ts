/**
 * Movements of a case. The observed service gives them no id, so each has a key made of the members that do not change; the
 * caller turns the key into a token. Texts are sensitive even where parties are masked.
 */
import { z } from 'zod';
import { content, cnj, day, instantMs, text } from './fields.js';
import { readRecordList, shape, type DomainRecord, type RecordList } from './read-records.js';

const COLUMNS = {
  id: text('id', 'uuid', 'movimentacaoId'),
  cnj: cnj('numeroCnj', 'numeroProcesso'),
  date: day('data', 'dataHora', 'dataMovimentacao'),
  atMs: instantMs('dataHora'),
  kind: text('tipo'),
  publicationKind: text('tipoPublicacao'),
  category: text('classificacaoPredita', 'textoCategoria', 'nome'),
  code: text('codigo'),
  text: content('conteudo', 'descricao', 'texto', 'nome'),
  source: text('fonte.sigla', 'fonte.nome', 'fonte', 'fonte.fonteId', 'origem'),
  degree: text('fonte.grau', 'grau', 'instancia'),
};

const SHAPE = shape(COLUMNS, {
  known: ['diarioOficial', 'secao', 'pagina', 'envolvidos', 'link'],
  floor: 'SENSITIVE',
});

/** One movement of a case. */
export type Movement = DomainRecord<typeof COLUMNS>;

export const movementsWire = z.looseObject({
  numeroCnj: z.string().nullish(),
  movimentacoes: z.array(z.looseObject({})).nullish(),
  items: z.array(z.looseObject({})).nullish(),
  total: z.number().nullish(),
  links: z.looseObject({ next: z.union([z.string(), z.looseObject({})]).nullish() }).nullish(),
});

/** Undefined when there is no list. */
export function readMovements(body: unknown): RecordList<typeof COLUMNS> | undefined {
  return readRecordList(SHAPE, body, ['movimentacoes', 'items', 'movements']);
}

/**
 * One key per movement: its id, else case, day, source, degree and text in one spelling, with an ordinal for true repeats.
 * Pass all movements of a case in the order of the service; otherwise repeats on two pages get one key.
 * Keys hold text of the case: hash them before they are stored or shown.
 */
export function buildMovementKeys(caseNumber: string, movements: readonly Movement[]): readonly string[] {
  const seen = new Map<string, number>();
  return movements.map((movement) => {
    const { id, date, source, degree, text: words } = movement;
    const base = JSON.stringify(
      id === null ? [caseNumber, date, source, degree, plain(words)] : [caseNumber, 'id', id],
    );
    const ordinal = (seen.get(base) ?? 0) + 1;
    seen.set(base, ordinal);
    return id === null ? `${base}#${ordinal}` : base;
  });
}

/** Removes what differs between reads of the same text: case, accents, markup and blanks. */
function plain(words: string | null): string {
  const text = words ?? '';
  // There is no markup after the last ">"; a search there would run to the end of the text from every "<".
  const end = text.lastIndexOf('>') + 1;
  return (text.slice(0, end).replace(/<[^>]*>/g, ' ') + text.slice(end))
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim();
}
