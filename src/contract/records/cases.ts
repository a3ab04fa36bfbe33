/**
 * Cases: the cover with its sources, and the list by CPF/CNPJ. Columns as observed; the interface shows no
 * member. A case is not one record: first instance, appeal and superior court share the number, so sources are rows too.
 */
import { z } from 'zod';
import { atPath, isJsonObject, type JsonObject } from '../json.js';
import type { Drift } from './drift.js';
import { amount, cnj, count, day, flag, instantMs, key, text } from './fields.js';
import { findList, readDomainRecord, recordIn, shape, totalIn, type DomainRecord } from './read-records.js';

const CASE_COLUMNS = {
  cnj: key(cnj('numeroCnj', 'numeroUnico', 'numeroProcesso', 'cnj', 'numero', 'processo.numeroCnj')),
  court: text('tribunal', 'tribunal.sigla', 'siglaTribunal', 'unidadeOrigem.tribunalSigla', 'sigla'),
  uf: text('estadoOrigem.sigla', 'uf', 'estado'),
  activeParty: text('tituloPoloAtivo', 'poloAtivo'),
  passiveParty: text('tituloPoloPassivo', 'poloPassivo'),
  startYear: count('anoInicio'),
  startedOn: day('dataInicio', 'capa.dataDistribuicao', 'dataDistribuicao', 'dataAjuizamento'),
  lastMovementOn: day('dataUltimaMovimentacao', 'capa.ultimoMovimento.data'),
  movementCount: count('quantidadeMovimentacoes'),
  caseClass: text('capa.classe', 'classe'),
  subject: text('capa.assunto', 'assunto', 'capa.assuntoPrincipalNormalizado'),
  judgingBody: text('capa.orgaoJulgador', 'orgaoJulgador', 'unidadeOrigem'),
  value: amount('capa.valorCausa', 'valorCausa'),
  status: text('statusProcessual', 'capa.situacao', 'situacao', 'status'),
  archived: flag('arquivado', 'fontesTribunaisEstaoArquivadas'),
  secrecyLevel: count('nivelSigilo'),
  checkedAtMs: instantMs('dataUltimaVerificacao'),
};

const SOURCE_COLUMNS = {
  id: text('id', 'processoFonteId'),
  name: text('nome', 'descricao'),
  acronym: text('sigla', 'tribunal.sigla'),
  kind: text('tipo'),
  degree: text('grau', 'grauFormatado', 'instancia'),
  system: text('sistema'),
  sealed: flag('segredoJustica'),
  archived: flag('arquivado'),
  status: text('statusPredito'),
  startedOn: day('dataInicio'),
  lastMovementOn: day('dataUltimaMovimentacao'),
  caseClass: text('capa.classe'),
  judgingBody: text('capa.orgaoJulgador'),
  value: amount('capa.valorCausa'),
  movementCount: count('quantidadeMovimentacoes'),
};

const CASE_SHAPE = shape(CASE_COLUMNS, {
  known: [
    'fontes',
    'capa',
    'raw',
    'ativo',
    'envolvidos',
    'lastSeenAt',
    'processosRelacionados',
    'matchFontes',
    'tipoMatch',
    'tempoDesdeUltimaVerificacao',
    'id',
    'segredoJustica',
  ],
  floor: 'PERSONAL',
});
const SOURCE_SHAPE = shape(SOURCE_COLUMNS, {
  known: ['capa', 'url', 'tribunal', 'fisico', 'envolvidos', 'quantidadeEnvolvidos'],
  floor: 'PERSONAL',
});

/** The cover of a case. */
export type CaseRecord = DomainRecord<typeof CASE_COLUMNS>;
/** One system that has the case, with its parties. */
export type CaseSource = DomainRecord<typeof SOURCE_COLUMNS>;

/** A case with its sources. */
export interface CaseReading {
  /** The cover, without the sources. */
  readonly record: CaseRecord;
  /** The systems that have the case, in the order of the answer. */
  readonly sources: readonly CaseSource[];
}

/** Cases of a CPF or CNPJ. */
export interface DocumentCases {
  /** In the order of the answer. */
  readonly cases: readonly CaseReading[];
  /** Kind of the document that was asked for, as sent; null when it is not. */
  readonly documentType: string | null;
  /** Cases in all, as the service reports; null when it does not. */
  readonly total: number | null;
  /** How the answer differs from the expected form; each record has its own. */
  readonly drift: readonly Drift[];
}

export const caseWire = z.looseObject({
  numeroCnj: z.string().nullish(),
  numero_cnj: z.string().nullish(),
  tribunal: z.union([z.string(), z.looseObject({})]).nullish(),
  nivel_sigilo: z.union([z.number(), z.string()]).nullish(),
  capa: z.looseObject({}).nullish(),
  fontes: z.array(z.looseObject({})).nullish(),
});
export const documentCasesWire = z.looseObject({
  document: z.string().nullish(),
  documentType: z.string().nullish(),
  processos: z.array(caseWire).nullish(),
  items: z.array(caseWire).nullish(),
});

/** Undefined when the body holds no object that could be a case. */
export function readCase(body: unknown): CaseReading | undefined {
  const record = recordIn(body);
  if (record === undefined || Object.keys(record).length === 0) return undefined;
  const reading = toCase(coverIn(record));
  return { ...reading, record: { ...reading.record, data: record } };
}

/** Members that only a cover has: beside its number, its state and its court. */
const OF_A_COVER = /^(?:fontes|capa|classe|assunto|envolvidos|raw|titulo_?polo\w*|polo_?\w+|data_?\w+)$/i;

/** The members of a cover inside `processo`, beside those of the answer. */
function coverIn(record: JsonObject): JsonObject {
  const { processo: inner, ...beside } = record;
  const isCover = Object.keys(beside).some((name) => OF_A_COVER.test(name));
  return isCover || !isJsonObject(inner) ? record : { ...beside, ...inner };
}

/** Undefined when there is no list. */
export function readDocumentCases(body: unknown): DocumentCases | undefined {
  const list = findList(body, ['processos', 'items', 'results']);
  if (list === undefined) return undefined;
  const top = recordIn(body);
  const documentType = atPath(top, 'documentType');
  return {
    cases: list.items.map(toCase),
    documentType: typeof documentType === 'string' ? documentType.slice(0, 10) : null,
    total: totalIn(top),
    drift: list.drift,
  };
}

/** A sealed source seals its case: `decideSensitivity` searches the whole record, sources included. */
function toCase(item: unknown): CaseReading {
  const sources = isJsonObject(item) ? item['fontes'] : undefined;
  return {
    record: readDomainRecord(CASE_SHAPE, item),
    sources: Array.isArray(sources) ? sources.map((source: unknown) => readDomainRecord(SOURCE_SHAPE, source)) : [],
  };
}
