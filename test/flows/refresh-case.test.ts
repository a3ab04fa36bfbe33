import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { withFlows } from './with-flows.js';

const HAPPY = '1000001-51.2026.8.26.0100';
const YESTERDAY = '5000777-14.2025.8.13.0024';
const MANY_DOCUMENTS = '7000055-03.2023.7.01.0001';

describe('refreshCase', () => {
  const flows = withFlows({ sandbox: { refreshMs: 700 } });
  const chargesOf = async (cnj: string): Promise<string[]> =>
    (await flows.charges())
      .filter(({ subject }) => subject.cnj === cnj.replace(/\D/g, ''))
      .map(({ operation }) => operation);

  it('refreshes a case, lists and downloads its documents, and pays for exactly what was asked', async () => {
    const handle = await flows.refresh({ cnj: HAPPY, documents: true, download: true });
    const result = await handle.result();
    expect(handle.workflowId).toBe('refresh/default/10000015120268260100');
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

  it('reads nothing that was not asked for: without documents there is one charge', async () => {
    const cnj = newCase();
    const result = await (await flows.refresh({ cnj })).result();
    expect(result).toMatchObject({ documents: [], documentCount: 0, spent: { known: '0.1', unknown: 0 } });
    expect(await chargesOf(cnj)).toEqual(['requestRefresh']);
  });

  it('waits for this refresh where the status still shows yesterday’s success', async () => {
    const startedAt = Date.now();
    const result = await (await flows.refresh({ cnj: YESTERDAY })).result();
    expect(result.status).toBe('done');
    expect(Date.parse(result.refreshedAt)).toBeGreaterThanOrEqual(startedAt + 600);
  });

  it('reads list pages only up to maxPages and says that there are more', async () => {
    const result = await (await flows.refresh({ cnj: MANY_DOCUMENTS, documents: true, maxPages: 2 })).result();
    expect(result).toMatchObject({ documentCount: 45, moreDocuments: true });
    expect(await chargesOf(MANY_DOCUMENTS)).toEqual(['requestRefresh', 'listPublicDocuments', 'listPublicDocuments']);
    expect(new Set(result.documents.map(({ id }) => id)).size).toBe(result.documents.length);
  });

  it.each([
    ['0010001-25.2024.5.02.0001', 'NAO_ENCONTRADO'],
    ['1000123-18.2025.4.03.6100', 'ERRO'],
  ])('ends as RefreshFailed, with receipts, where the court says so (%s)', async (cnj, word) => {
    const failure = await failureOf(await flows.refresh({ cnj }));
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
    const failure = await failureOf(await flows.refresh({ cnj, ...more }));
    expect(failure).toMatchObject({ type, details: { status, spent: { known: '0', unknown: 0 } } });
    expect(await chargesOf(cnj)).toEqual([]);
    const posts = (await flows.requests()).filter(
      (request) => request.operation === 'requestRefresh' && JSON.stringify(request).includes(cnj.replace(/\D/g, '')),
    );
    expect(posts.length).toBeLessThanOrEqual(1);
  });

  it('reuses with maxAge what was paid for, and pays again without it', async () => {
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

  it('stops before the cap of the flow: unpaid it fails, paid it parks until resumed', async () => {
    const poor = newCase();
    const failure = await failureOf(await flows.refresh({ cnj: poor, maxSpend: '0.01' }));
    expect(failure).toMatchObject({ type: 'BudgetExceeded' });
    expect(await chargesOf(poor)).toEqual([]);

    // Learned by the first test: a refresh costs 0.1 and a list page 0.2.
    const cnj = newCase();
    const handle = await flows.refresh({ cnj, documents: true, maxSpend: '0.25' });
    const parked = await flows.parked(handle.workflowId);
    expect(parked).toMatchObject({ attention: 'budget', spent: { known: '0.1', unknown: 0 } });
    expect(await chargesOf(cnj)).toEqual(['requestRefresh']);
    await flows.client.workflow.getHandle(handle.workflowId).terminate('the cap stays');
  });

  it('waits as a 429 asks and sends again under a new ordinal', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'status', status: 429, retryAfter: 1, times: 2 });
    const result = await (await flows.refresh({ cnj })).result();
    expect(result.receipts.map(({ outcome }) => outcome)).toEqual(['REJECTED', 'REJECTED', 'DONE']);
    expect(await chargesOf(cnj)).toEqual(['requestRefresh']);
  });
});
