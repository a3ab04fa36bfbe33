/** The records of a list answer, by the reader of its operation. Pure. */
import {
  readDocumentCases,
  readDocuments,
  readBoard,
  readCaseMonitors,
  readGazettes,
  readLawyerCases,
  readMovements,
  readNoticeMonitors,
  readNotices,
  readPrecatorios,
  readRadars,
  readSearch,
  type Gaps,
} from '../../contract/index.js';

type ListReader = (body: unknown, gaps: Gaps) => readonly unknown[] | undefined;

const LISTS: Readonly<Record<string, ListReader>> = {
  listCasesByDocument: (body) => readDocumentCases(body)?.cases,
  listMovements: (body) => readMovements(body)?.records,
  listPublicDocuments: (body) => readDocuments(body)?.records,
  listLawyerCases: (body, gaps) => readLawyerCases(body, gaps)?.records,
  listLawyerGazettes: (body) => readGazettes(body)?.records,
  listNoticeMonitors: (body) => readNoticeMonitors(body, 'listing')?.monitors,
  listNotices: (body) => readNotices(body)?.records,
  listRadars: (body) => readRadars(body, 'listing')?.monitors,
  listCaseMonitors: (body) => readCaseMonitors(body, 'listing')?.monitors,
  listPrecatorios: (body) => readPrecatorios(body)?.records,
  searchElectoralBoard: (body) => readBoard(body)?.records,
};

/** Undefined if the answer holds no list. For an operation without a reader, the only list in the answer counts. */
export function listItems(operation: string, body: unknown, gaps: Gaps): readonly unknown[] | undefined {
  const read = Object.hasOwn(LISTS, operation) ? LISTS[operation] : undefined;
  return read === undefined ? readSearch(body)?.records : read(body, gaps);
}
