/** The facts in an answer, read by the reader of its operation. What has no reader here stays only in the stored answer. Pure. */
import {
  readBoard,
  readCase,
  readDocumentCases,
  readElectoralPublication,
  readGazettes,
  readMovements,
  readPrecatorios,
  readSearch,
  readSummary,
  type Drift,
} from '../../contract/index.js';
import {
  CASES,
  HITS,
  MOVEMENTS,
  PRECATORIOS,
  PUBLICATIONS,
  SOURCES,
  SUMMARIES,
  caseRow,
  electoralRow,
  gazetteRow,
  hitRow,
  movementRows,
  precatorioRow,
  sourceRows,
  summaryRow,
  type FactRow,
  type FactTable,
  type AnswerFacts,
} from '../../records/index.js';
import { parseStored } from '../stored-answer.js';

type FactsOfAnswer = Pick<AnswerFacts, 'pages' | 'drift'>;
type Teller = (body: unknown, cnj: string) => FactsOfAnswer | undefined;

interface Read {
  readonly drift: readonly Drift[];
}

const driftOf = (records: readonly Read[], list?: Read): readonly Drift[] => [
  ...(list?.drift ?? []),
  ...records.flatMap(({ drift }) => drift),
];

function listTeller<List extends Read & { readonly records: readonly Read[] }>(
  read: (body: unknown) => List | undefined,
  table: FactTable,
  rowsOf: (list: List, cnj: string) => readonly FactRow[],
): Teller {
  return (body, cnj) => {
    const list = read(body);
    return list && { pages: [{ table, rows: rowsOf(list, cnj) }], drift: driftOf(list.records, list) };
  };
}

const tellHits = listTeller(readSearch, HITS, ({ records }) => records.map(hitRow));

const TELLERS: Readonly<Record<string, Teller>> = {
  getCase: (body, cnj) => {
    const read = readCase(body);
    const row = read && caseRow(read, { origin: 'cover', ...(cnj === '' ? {} : { asked: cnj }) });
    if (read === undefined || row === undefined) return undefined;
    const sources = sourceRows(read, cnj === '' ? undefined : cnj);
    return {
      pages: [
        { table: CASES, rows: [row] },
        { table: SOURCES, rows: sources },
      ],
      drift: driftOf([read.record, ...read.sources]),
    };
  },
  listCasesByDocument: (body) => {
    const list = readDocumentCases(body);
    if (list === undefined) return undefined;
    const rows = list.cases.flatMap((read) => caseRow(read, { origin: 'list' }) ?? []);
    return {
      pages: [
        { table: CASES, rows },
        { table: SOURCES, rows: list.cases.flatMap((read) => sourceRows(read)) },
      ],
      drift: driftOf(
        list.cases.map(({ record }) => record),
        list,
      ),
    };
  },
  listMovements: listTeller(readMovements, MOVEMENTS, ({ records }, cnj) => movementRows(cnj, records)),
  getSummary: (body, cnj) => {
    const summary = readSummary(body);
    return summary && { pages: [{ table: SUMMARIES, rows: [summaryRow(cnj, summary)] }], drift: summary.drift };
  },
  getElectoralPublication: (body) => {
    const item = readElectoralPublication(body);
    return (
      item && { pages: [{ table: PUBLICATIONS, rows: [electoralRow(item, 'electoral gazette')] }], drift: item.drift }
    );
  },
  searchElectoralBoard: listTeller(readBoard, PUBLICATIONS, ({ records }) =>
    records.map((item) => electoralRow(item, 'electoral board')),
  ),
  listLawyerGazettes: listTeller(readGazettes, PUBLICATIONS, ({ records }) =>
    records.map((item) => gazetteRow({ ...item, publicationId: null })),
  ),
  listPrecatorios: listTeller(readPrecatorios, PRECATORIOS, ({ records, mode }) =>
    records.map((item) => precatorioRow(item, mode)),
  ),
  searchTerm: tellHits,
  searchLegacy: tellHits,
};

/** `cnj`: the case that was asked about, empty where it was none. The body is read only where somebody reads it. */
export function factsIn(operation: string, body: Buffer, cnj: string): FactsOfAnswer | undefined {
  const tell = Object.hasOwn(TELLERS, operation) ? TELLERS[operation] : undefined;
  return tell?.(parseStored(body), cnj);
}
