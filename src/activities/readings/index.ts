/**
 * Answer → the small reading that a flow gets, by the view that it asked for. Pure. `undefined` means that the body is not
 * what the operation promised: paid, but unusable.
 */
import { readNotices } from '../../contract/index.js';
import type { AnswerView, Reading, ReadingByView } from '../../protocol/index.js';
import { readBodyItself } from './body.js';
import { readDocumentsPage } from './documents.js';
import { readLawyerPage } from './lawyer-page.js';
import { readMonitorAnswer } from './monitor.js';
import { readMovementsPage } from './movements.js';
import { readPageFacts } from './page.js';
import { readRecordItself, readSummaryState } from './record.js';
import type { ReadableAnswer } from './types.js';

export { readSummaryState } from './record.js';
export type { ReadableAnswer } from './types.js';

const READERS: { readonly [View in AnswerView]: (answer: ReadableAnswer) => ReadingByView[View] | undefined } = {
  none: () => ({}),
  documents: readDocumentsPage,
  body: readBodyItself,
  page: readPageFacts,
  movements: readMovementsPage,
  record: readRecordItself,
  summary: readSummaryState,
  // The notices themselves go from the stored answer to the records.
  notices: ({ body }) => (readNotices(body) === undefined ? undefined : {}),
  monitor: readMonitorAnswer,
  lawyerPage: readLawyerPage,
};

/** Without a view a documents list is still read as a list: that is what the operation promises. */
export function readingOf(view: AnswerView | undefined, answer: ReadableAnswer): Reading | undefined {
  const fallback: AnswerView = answer.operation.id === 'listPublicDocuments' ? 'documents' : 'none';
  return READERS[view ?? fallback](answer);
}
