/** Records histories of flows whose pages end in unusual ways, for test/replay: `npm run record-histories`. */
import { withFlows } from '../flows/with-flows.js';
import { newCase, newCaseWithDocuments } from '../support/case-number.js';
import { recorderOf } from './keep-history.js';

describe('histories of pages', () => {
  const flows = withFlows({ sandbox: { dialect: { documentPages: 'ignored' } } });
  const { record } = recorderOf(flows);

  it('collect-pages that stops at maxPages and stays open', () =>
    record('collect-pages-stays-open', 'collectPages', {
      operation: 'listMovements',
      params: { cnj: newCase(), limit: 2 },
      maxPages: 2,
    }));

  it('refresh whose documents list repeats itself', () =>
    record('refresh-documents-repeated', 'refreshCase', {
      cnj: newCaseWithDocuments(),
      documents: true,
      maxPages: 4,
      webhook: false,
    }));
});
