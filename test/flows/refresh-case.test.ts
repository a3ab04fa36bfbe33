import { withFlows } from './with-flows.js';

const HAPPY = '1000001-51.2026.8.26.0100';

describe('refreshCase', () => {
  const flows = withFlows();

  it('refreshes a case, lists and downloads its documents, and pays for exactly what was asked', async () => {
    const handle = await flows.refresh({ cnj: HAPPY, documents: true, download: true });
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
    for (const document of result.documents) expect(document).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect((await flows.charges()).map(({ operation }) => operation)).toEqual(['requestRefresh', 'listPublicDocuments']);
  });
});
