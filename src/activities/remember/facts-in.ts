/** The facts in an answer, by the reader of its operation. An answer without a reader here is only stored as it came. Pure. */
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
type FactReader = (body: unknown, cnj: string) => FactsOfAnswer | undefined;

interface HasDrift {
  readonly drift: readonly Drift[];
}

const driftOf = (records: readonly HasDrift[], list?: HasDrift): readonly Drift[] => [
  ...(list?.drift ?? []),
  ...records.flatMap(({ drift }) => drift),
];

function listReader<List extends HasDrift & { readonly records: readonly HasDrift[] }>(
  read: (body: unknown) => List | undefined,
  table: FactTable,
  rowsOf: (list: List, cnj: string) => readonly FactRow[],
): FactReader {
  return (body, cnj) => {
    const list = read(body);
    return list && { pages: [{ table, rows: rowsOf(list, cnj) }], drift: driftOf(list.records, list) };
  };
}

const readHits = listReader(readSearch, HITS, ({ records }) => records.map(hitRow));

const READERS: Readonly<Record<string, FactReader>> = {
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
  listMovements: listReader(readMovements, MOVEMENTS, ({ records }, cnj) => movementRows(cnj, records)),
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
  searchElectoralBoard: listReader(readBoard, PUBLICATIONS, ({ records }) =>
    records.map((item) => electoralRow(item, 'electoral board')),
  ),
  listLawyerGazettes: listReader(readGazettes, PUBLICATIONS, ({ records }) => records.map(gazetteRow)),
  listPrecatorios: listReader(readPrecatorios, PRECATORIOS, ({ records, mode }) =>
    records.map((item) => precatorioRow(item, mode)),
  ),
  searchTerm: readHits,
  searchLegacy: readHits,
};

/** `cnj`: the case of the call, empty if it has none. The body is parsed only if the operation has a reader. */
export function factsIn(operation: string, body: Buffer, cnj: string): FactsOfAnswer | undefined {
  const read = Object.hasOwn(READERS, operation) ? READERS[operation] : undefined;
  return read?.(parseStored(body), cnj);
}
