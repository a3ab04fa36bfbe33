import { startReadCase } from '../../src/starters/index.js';
import { newCase, newCaseWithDocuments } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { withFlows } from './with-flows.js';

const HAPPY = '1000001-51.2026.8.26.0100';
const YESTERDAY = '5000777-14.2025.8.13.0024';
const MANY_DOCUMENTS = '7000055-03.2023.7.01.0001';

/** Test files share one namespace, where two flows of the same persona would share a run. */
const ownId = () => ({ workflowId: `own-${newCase()}` });

describe('refreshCase', () => {
  const flows = withFlows({ sandbox: { refreshMs: 700 } });
  const chargesOf = async (cnj: string): Promise<string[]> =>
    (await flows.charges())
      .filter(({ subject }) => subject.cnj === cnj.replace(/\D/g, ''))
      .map(({ operation }) => operation);

  it('refreshes a case, lists and downloads its documents, and pays for exactly these calls', async () => {
    const handle = await flows.refresh({ cnj: HAPPY, documents: true, download: true }, ownId());
    const result = await handle.result();
    expect(result).toMatchObject({
      cnj: '10000015120268260100',
      status: 'done',
      rawStatus: 'SUCESSO',
      reused: false,
      documentCount: 3,
      moreDocuments: false,
      spent: { known: '0.3', unknown: 0 },
    });
    expect(result.documents).toHaveLength(3);
    for (const document of result.documents) {
      expect(document).toMatchObject({
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        stored: expect.stringMatching(/^sha256\//) as string,
      });
      expect(document.bytes).toBeGreaterThan(100);
    }
    expect(result.receipts.map(({ step, operation, outcome, amount }) => [step, operation, outcome, amount])).toEqual([
      ['requestRefresh', 'requestRefresh', 'DONE', '0.1'],
      ['listPublicDocuments/1', 'listPublicDocuments', 'DONE', '0.2'],
    ]);
    expect(await chargesOf(HAPPY)).toEqual(['requestRefresh', 'listPublicDocuments']);
  });

  it('pays only for the refresh when no documents are requested', async () => {
    const cnj = newCase();
    const handle = await flows.refresh({ cnj });
    expect(handle.workflowId).toBe(`refresh.default.${cnj}`);
    const result = await handle.result();
    expect(result).toMatchObject({ documents: [], documentCount: 0, spent: { known: '0.1', unknown: 0 } });
    expect(await chargesOf(cnj)).toEqual(['requestRefresh']);
  });

  it('waits for its own refresh when the status still shows yesterday’s success', async () => {
    const startedAt = Date.now();
    const result = await (await flows.refresh({ cnj: YESTERDAY }, ownId())).result();
    expect(result.status).toBe('done');
    expect(Date.parse(result.refreshedAt)).toBeGreaterThanOrEqual(startedAt + 600);
  });

  it('reads list pages only up to maxPages and says that there are more', async () => {
    const result = await (await flows.refresh({ cnj: MANY_DOCUMENTS, documents: true, maxPages: 2 }, ownId())).result();
    expect(result).toMatchObject({ documentCount: 45, moreDocuments: true });
    expect(await chargesOf(MANY_DOCUMENTS)).toEqual(['requestRefresh', 'listPublicDocuments', 'listPublicDocuments']);
    expect(new Set(result.documents.map(({ id }) => id)).size).toBe(result.documents.length);
  });

  it.each([
    ['0010001-25.2024.5.02.0001', 'NAO_ENCONTRADO'],
    ['1000123-18.2025.4.03.6100', 'ERRO'],
  ])('ends as RefreshFailed, with receipts, when the refresh failed at the court (%s)', async (cnj, word) => {
    const failure = await failureOf(await flows.refresh({ cnj }, ownId()));
    expect(failure.type).toBe('RefreshFailed');
    expect(failure.message).toContain(word);
    expect(failure.details).toMatchObject({
      account: 'default',
      operation: 'requestRefresh',
      spent: { known: '0.1', unknown: 0 },
    });
    expect(failure.details.receipts).toHaveLength(1);
  });

  it.each([
    ['an unknown case', '0000001-18.1999.8.01.0001', {}, 'NotFound', 404],
    [
      'a court that refuses the documents flag, never a second POST without it',
      '0800012-35.2021.9.26.0010',
      { documents: true },
      'Rejected',
      422,
    ],
  ])('fails at once and unpaid for %s', async (_why, cnj, more, type, status) => {
    const failure = await failureOf(await flows.refresh({ cnj, ...more }, ownId()));
    expect(failure).toMatchObject({ type, details: { status, spent: { known: '0', unknown: 0 } } });
    expect(await chargesOf(cnj)).toEqual([]);
    const posts = (await flows.requests()).filter(
      (request) => request.operation === 'requestRefresh' && JSON.stringify(request).includes(cnj.replace(/\D/g, '')),
    );
    expect(posts.length).toBeLessThanOrEqual(1);
  });

  it('reuses paid answers with maxAge, and pays again without it', async () => {
    const cnj = newCase();
    const first = await (await flows.refresh({ cnj, documents: true })).result();
    const second = await (await flows.refresh({ cnj, documents: true, maxAge: '1h' })).result();
    expect(second).toMatchObject({ reused: true, spent: { known: '0', unknown: 0 }, refreshedAt: first.refreshedAt });
    expect(second.documents).toEqual(first.documents);
    const narrower = await (await flows.refresh({ cnj, maxAge: '1h' })).result();
    expect(narrower.reused).toBe(true);
    expect(await chargesOf(cnj)).toEqual(['requestRefresh', 'listPublicDocuments']);
    await (await flows.refresh({ cnj })).result();
    expect(await chargesOf(cnj)).toEqual(['requestRefresh', 'listPublicDocuments', 'requestRefresh']);
  });

  it('does not reuse with maxAge a refresh whose flags do not cover the request', async () => {
    const cnj = newCase();
    await (await flows.refresh({ cnj })).result();
    const second = await (await flows.refresh({ cnj, documents: true, maxAge: '1h' })).result();
    expect(second.reused).toBe(false);
  });

  it('stops before its cap: fails when nothing is paid, and parks when something is', async () => {
    const poor = newCase();
    const failure = await failureOf(await flows.refresh({ cnj: poor, maxSpend: '0.01' }));
    expect(failure).toMatchObject({ type: 'BudgetExceeded' });
    expect(failure.message).toMatch(
      /would exceed the cap of this flow: spent 0, this call \S+, cap 0\.01; nothing was sent/,
    );
    expect(await chargesOf(poor)).toEqual([]);

    // Prices that the first test has taught: a refresh costs 0.1 and a list page 0.2.
    const cnj = newCase();
    const handle = await flows.refresh({ cnj, documents: true, maxSpend: '0.25' });
    const parked = await flows.parked(handle.workflowId);
    expect(parked).toMatchObject({ attention: 'budget', spent: { known: '0.1', unknown: 0 } });
    expect(await chargesOf(cnj)).toEqual(['requestRefresh']);
    await flows.client.workflow.getHandle(handle.workflowId).terminate('the cap stays');
  });

  it('waits as long as a 429 says and sends again under a new ordinal', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'status', status: 429, retryAfter: 1, times: 2 });
    const result = await (await flows.refresh({ cnj })).result();
    expect(result.receipts.map(({ outcome }) => outcome)).toEqual(['REJECTED', 'REJECTED', 'DONE']);
    expect(await chargesOf(cnj)).toEqual(['requestRefresh']);
  });
});

describe('refreshCase where the list of documents says nothing about further pages', () => {
  const flows = withFlows({ sandbox: { dialect: { documentPages: 'unsaid' } } });
  const list = async (cnj: string, maxPages?: number) => {
    const before = (await flows.charges()).length;
    const input = { cnj, documents: true, ...(maxPages === undefined ? {} : { maxPages }) };
    const handle = await flows.refresh(input, ownId());
    const result = await handle.result();
    const charged = (await flows.charges()).slice(before).map(({ operation }) => operation);
    return { result, pages: charged.filter((operation) => operation === 'listPublicDocuments').length };
  };

  it('reports that there may be more, and reads one page without maxPages', async () => {
    const { result, pages } = await list(HAPPY);
    expect(result).toMatchObject({ documentCount: 3, moreDocuments: true });
    expect(pages).toBe(1);
  });

  it('reads pages by number up to maxPages', async () => {
    const { result, pages } = await list(MANY_DOCUMENTS, 2);
    expect(result).toMatchObject({ documentCount: 40, moreDocuments: true });
    expect(pages).toBe(2);
  });

  it('knows that it has all documents at the first empty page', async () => {
    const { result, pages } = await list(MANY_DOCUMENTS, 9);
    expect(result).toMatchObject({ documentCount: 45, moreDocuments: false });
    expect(new Set(result.documents.map(({ id }) => id)).size).toBe(45);
    expect(pages).toBe(4);
  });

  it('takes a page that is answered 404 for the end, and keeps the paid pages', async () => {
    await flows.fault({ operation: 'listPublicDocuments', fault: 'status', status: 404, after: 3 });
    const { result, pages } = await list(MANY_DOCUMENTS, 9);
    expect(result).toMatchObject({ documentCount: 45, moreDocuments: false });
    expect(pages).toBe(3);
  });

  it('lists documents as readCase does', async () => {
    const read = async (maxPages: number) =>
      (await startReadCase(flows.deps, { cnj: HAPPY, include: ['documents'], maxPages })).result();
    const before = (await flows.charges()).length;
    expect(await read(1)).toMatchObject({ documentCount: 3, moreDocuments: true });
    expect(await read(2)).toMatchObject({ documentCount: 3, moreDocuments: false });
    expect(await flows.charges()).toHaveLength(before + 3);
  });

  it('reports that there may be more when a page is refused', async () => {
    await flows.fault({ operation: 'listPublicDocuments', fault: 'status', status: 422, after: 1 });
    const { result, pages } = await list(MANY_DOCUMENTS, 9);
    expect(result).toMatchObject({ documentCount: 20, moreDocuments: true });
    expect(pages).toBe(1);
  });
});

describe('refreshCase where the list of documents states nothing about its pages but the count', () => {
  const flows = withFlows({ sandbox: { dialect: { documentPages: 'counted' } } });

  it('stops once that many documents are listed, and requests no page after the last', async () => {
    const result = await (await flows.refresh({ cnj: MANY_DOCUMENTS, documents: true, maxPages: 9 }, ownId())).result();
    expect(result).toMatchObject({ documentCount: 45, moreDocuments: false });
    const charged = (await flows.charges()).map(({ operation }) => operation);
    expect(charged).toEqual(['requestRefresh', ...Array<string>(3).fill('listPublicDocuments')]);
  });
});

describe('refreshCase where the service answers every page of documents with the first one', () => {
  const flows = withFlows({ sandbox: { dialect: { documentPages: 'ignored' } } });

  it('stops at the first repeated page, and lists no document twice', async () => {
    const result = await (await flows.refresh({ cnj: HAPPY, documents: true, maxPages: 9 }, ownId())).result();
    expect(result).toMatchObject({ documentCount: 3, moreDocuments: true });
    expect(result.documents).toHaveLength(3);
    const charged = (await flows.charges()).map(({ operation }) => operation);
    expect(charged).toEqual(['requestRefresh', 'listPublicDocuments', 'listPublicDocuments']);
  });
});

describe('refreshCase where a document is on two pages of the list', () => {
  const flows = withFlows();
  // The list has grown between the two reads, so page 2 begins with the last document of page 1.
  const PAGES = [['a', 'b'], ['b', 'c'], ['d']];
  const page = async (ids: readonly string[]): Promise<void> => {
    const documentos = ids.map((id) => ({ id, titulo: `Documento ${id}` }));
    const body = { data: { documentos, total: 4 } };
    await flows.fault({ operation: 'listPublicDocuments', fault: 'status', status: 200, body });
  };
  beforeEach(async () => {
    for (const ids of PAGES) await page(ids);
  });

  it('counts and lists the document once, and leaves no other out', async () => {
    const result = await (await flows.refresh({ cnj: HAPPY, documents: true, maxPages: 9 }, ownId())).result();
    expect(result).toMatchObject({ documentCount: 4, moreDocuments: false });
    expect(result.documents.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('lists documents as readCase does', async () => {
    const input = { cnj: HAPPY, include: ['documents' as const], maxPages: 9 };
    const result = await (await startReadCase(flows.deps, input)).result();
    expect(result).toMatchObject({ documentCount: 4, moreDocuments: false });
    expect(result.documents?.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('refreshCase where signed links have expired before they are opened', () => {
  const flows = withFlows({ sandbox: { refreshMs: 0, linkTtlMs: 1 } });
  const failed = async (relist: boolean): Promise<{ readonly message: string; readonly lists: number }> => {
    const cnj = newCaseWithDocuments();
    const handle = await flows.refresh({ cnj, documents: true, download: true, relist });
    const { message, type } = await failureOf(handle);
    expect(type).toBe('DownloadFailed');
    const lists = (await flows.charges()).filter(
      ({ operation, subject }) => operation === 'listPublicDocuments' && subject.cnj === cnj.replace(/\D/g, ''),
    );
    return { message, lists: lists.length };
  };

  it('names relist, which was not set', async () => {
    const { message, lists } = await failed(false);
    expect(message).toMatch(/first: the signed link has expired; .*it needs "relist": true/);
    expect(lists).toBe(1);
  });

  it('lists once more with relist, and says that the new links have expired too', async () => {
    const { message, lists } = await failed(true);
    expect(message).toMatch(/first: the signed link of the new list has expired too\)/);
    expect(message).not.toContain('"relist"');
    expect(lists).toBe(2);
  });
});
