import { sql } from 'kysely';
import {
  startAwaitRequest,
  startCallOperation,
  startCollectPages,
  startReadCase,
  startSummarizeCase,
  resumeFlow,
  wakeFlow,
} from '../../src/starters/index.js';
import type { ReadCaseInput } from '../../src/protocol/index.js';
import { newCase, newCaseWithDocuments } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { withFlows } from './with-flows.js';

/** The edition of a past working day. */
const EDITION = 'djee-sp-2026-03-10';

describe('flows that read', () => {
  const flows = withFlows();

  describe('readCase', () => {
    const read = async (input: ReadCaseInput) => (await startReadCase(flows.deps, input)).result();

    it('reads each part that include names once, and nothing else', async () => {
      const cnj = newCase();
      const charged = await flows.paid(async () => {
        const handle = await startReadCase(flows.deps, { cnj, include: ['movements', 'cover'], maxPages: 1 });
        expect(handle.workflowId).toMatch(new RegExp(`^case\\.default\\.${cnj}\\.[\\w-]{32}$`));
        const result = await handle.result();
        expect(result).toMatchObject({ cnj, cover: { numero_cnj: expect.any(String) as string } });
        expect(result.cover).not.toHaveProperty('raw');
        expect(result.movements?.length).toBeGreaterThan(0);
        expect(result).not.toHaveProperty('documents');
        expect(result).not.toHaveProperty('summary');
      });
      expect(charged).toEqual(['getCase', 'listMovements']);
    });

    it('reads movements up to maxPages and says that there are more', async () => {
      const charged = await flows.paid(async () => {
        const result = await read({ cnj: '1000001-51.2026.8.26.0100', include: ['movements'], maxPages: 2 });
        expect(result.movementCount).toBeGreaterThanOrEqual(result.movements?.length ?? 0);
      });
      expect(charged.length).toBeLessThanOrEqual(2);
    });

    it('counts a movement once that a growing list shows on two pages', async () => {
      for (const ids of [
        [4, 3, 2],
        [2, 1],
      ]) {
        const data = { movimentacoes: ids.map((id) => ({ id, descricao: `move ${id}` })), totalPages: 2 };
        await flows.fault({
          operation: 'listMovements',
          fault: 'status',
          status: 200,
          body: { data, meta: {} },
          times: 1,
        });
      }
      const result = await read({ cnj: newCase(), include: ['movements'], maxPages: 3 });
      expect(result.movements?.map(({ id }) => id)).toEqual(['4', '3', '2', '1']);
      expect(result).toMatchObject({ movementCount: 4, moreMovements: false });
    });

    it('lists documents only after their refresh', async () => {
      const cnj = newCaseWithDocuments();
      const before = (await flows.requests()).length;
      const failure = await failureOf(await startReadCase(flows.deps, { cnj, include: ['cover', 'documents'] }));
      expect(failure.type).toBe('InvalidInput');
      expect(await flows.requests()).toHaveLength(before);

      await (await flows.refresh({ cnj, documents: true })).result();
      const charged = await flows.paid(async () => {
        const result = await read({ cnj, include: ['documents'] });
        expect(result).toMatchObject({ moreDocuments: false });
        expect(result.documents?.length).toBeGreaterThan(0);
        expect(result.documentCount).toBe(result.documents?.length);
      });
      expect(charged).toEqual(['listPublicDocuments']);
      expect(await flows.paid(() => read({ cnj, include: ['documents'], maxAge: '1h' }))).toEqual([]);
      expect(await flows.paid(() => read({ cnj, include: ['documents'], maxAge: '1h', relist: true }))).toEqual([
        'listPublicDocuments',
      ]);
    });

    it('reuses a paid list after a reset and under the same `once`, also while a newer refresh runs', async () => {
      const cnj = newCaseWithDocuments();
      await (await flows.refresh({ cnj, documents: true })).result();
      const params = { cnj };
      const list = { operation: 'listPublicDocuments', params };
      const starts = [
        () => startReadCase(flows.deps, { cnj, include: ['documents'], once: 'read' }),
        () => startCallOperation(flows.deps, { ...list, once: 'call' }),
        () => startCollectPages(flows.deps, { ...list, maxPages: 1, once: 'collect' }),
      ];
      const handles: { readonly workflowId: string; readonly runId: string }[] = [];
      for (const start of starts) {
        const handle = await start();
        await handle.result();
        handles.push(handle);
      }
      await flows.loseRefresh(cnj);
      const { workflowId } = await flows.refresh({ cnj, documents: true });
      await flows.parked(workflowId);
      const charged = await flows.paid(async () => {
        for (const start of starts) await (await start()).result();
        for (const handle of handles) await (await flows.resetToFirstTask(handle)).result();
      });
      expect(charged).toEqual([]);
      expect(await failureOf(await startReadCase(flows.deps, { cnj, include: ['documents'] }))).toMatchObject({
        type: 'InvalidInput',
      });
      await flows.client.workflow.getHandle(workflowId).terminate('end of the test');
    });

    it.each([
      [{ cnj: newCase() }, 'input.include'],
      [{ cnj: newCase(), include: [] }, 'input.include'],
      [{ cnj: newCase(), include: ['all'] }, 'cover, movements, documents, summary'],
      [{ cnj: newCase(), include: ['cover'], relist: true }, 'input.relist'],
      [{ cnj: '1', include: ['cover'] }, 'input.cnj'],
    ])('refuses %j', async (input, problem) => {
      const failure = await failureOf(await flows.startPlain('readCase', input));
      expect(failure).toMatchObject({ type: 'InvalidInput', message: expect.stringContaining(problem) as string });
    });
  });

  describe('summarizeCase', () => {
    const readsOf = async (cnj: string): Promise<number> =>
      (await flows.requests()).filter(({ operation, target }) => operation === 'getSummary' && target.includes(cnj))
        .length;

    it('requests the summary, waits for it and reads it, with two charges', async () => {
      const cnj = newCase();
      const charged = await flows.paid(async () => {
        const handle = await startSummarizeCase(flows.deps, { cnj });
        expect(handle.workflowId).toBe(`summary.default.${cnj}`);
        const result = await handle.result();
        expect(result).toMatchObject({ cnj, status: 'done', reused: false, summary: { state: 'success' } });
        expect(Date.parse(result.updatedAt ?? '')).not.toBeNaN();
        const again = await (await startSummarizeCase(flows.deps, { cnj, maxAge: '1h' })).result();
        expect(again).toMatchObject({ reused: true, summary: result.summary, spent: { known: '0', unknown: 0 } });
      });
      expect(charged).toEqual(['requestSummary', 'getSummary']);
    });

    it('parks on a summary that is not ready, and no event buys another read', async () => {
      const cnj = newCase();
      await flows.fault({ operation: 'getSummary', fault: 'status', status: 404 });
      const handle = await startSummarizeCase(flows.deps, { cnj });
      expect(await flows.parked(handle.workflowId)).toMatchObject({ attention: 'stalled' });
      await wakeFlow(flows.client, handle.workflowId);
      const reads = (await flows.requests('getSummary')).length;
      expect(await flows.parked(handle.workflowId)).toMatchObject({ attention: 'stalled' });
      await resumeFlow(flows.client, handle.workflowId, { by: 'ana' });
      expect(await handle.result()).toMatchObject({ status: 'done' });
      expect(await flows.requests('getSummary')).toHaveLength(reads + 1);
    });

    it('ends as RefreshFailed when its work ended in an error', async () => {
      const failure = await failureOf(await startSummarizeCase(flows.deps, { cnj: '1000123-18.2025.4.03.6100' }));
      expect(failure).toMatchObject({ type: 'RefreshFailed', message: expect.stringContaining('ERRO') as string });
    });

    describe('with maxAge', () => {
      const maxAge = '1h';
      const answerWithState = (operation: string, state: string): Promise<void> =>
        flows.fault({ operation, fault: 'status', status: 200, body: { data: { state } } });

      it('buys a failed request again', async () => {
        const cnj = newCase();
        await answerWithState('requestSummary', 'ERRO');
        expect(await failureOf(await startSummarizeCase(flows.deps, { cnj }))).toMatchObject({ type: 'RefreshFailed' });
        const charged = await flows.paid(async () => {
          const again = await (await startSummarizeCase(flows.deps, { cnj, maxAge })).result();
          expect(again).toMatchObject({ status: 'done', reused: false });
        });
        expect(charged).toEqual(['requestSummary', 'getSummary']);
      });

      it('buys a request again when its work ended in an error', async () => {
        const cnj = '1000123-18.2025.4.03.6100';
        const charged = await flows.paid(async () => {
          for (const _time of [1, 2]) {
            const failure = await failureOf(await startSummarizeCase(flows.deps, { cnj, maxAge }));
            expect(failure).toMatchObject({ type: 'RefreshFailed' });
          }
        });
        expect(charged).toEqual(['requestSummary', 'requestSummary']);
      });

      it('buys only the read again when it showed no summary', async () => {
        const cnj = newCase();
        await answerWithState('getSummary', 'pending');
        const parked = await startSummarizeCase(flows.deps, { cnj });
        expect(await flows.parked(parked.workflowId)).toMatchObject({ attention: 'stalled' });
        const charged = await flows.paid(async () => {
          const again = await startSummarizeCase(flows.deps, { cnj, maxAge }, { workflowId: `again.${cnj}` });
          expect(await again.result()).toMatchObject({ status: 'done', reused: false });
          const read: ReadCaseInput = { cnj, include: ['summary'], maxAge };
          expect(await (await startReadCase(flows.deps, read)).result()).toMatchObject({
            summary: { state: 'success' },
          });
        });
        expect(charged).toEqual(['getSummary']);
        await flows.client.workflow.getHandle(parked.workflowId).terminate('seen');
      });
    });

    it.each([
      ['showed nothing', { status: 200, body: { data: { state: 'pending' }, meta: { creditsCharged: 0.5 } } }],
      ['was refused', { status: 404 }],
    ])(
      'reuses the read that was bought after one that %s, after a reset and under the same `once`',
      async (_, answer) => {
        const cnj = newCase();
        const input = { cnj, once: `summary of ${cnj}` };
        await flows.fault({ operation: 'getSummary', fault: 'status', times: 1, ...answer });
        const handle = await startSummarizeCase(flows.deps, input);
        await flows.parked(handle.workflowId);
        await resumeFlow(flows.client, handle.workflowId, { by: 'ana' });
        const { summary } = await handle.result();
        const charged = await flows.paid(async () => {
          expect(await (await flows.resetToFirstTask(handle)).result()).toMatchObject({ status: 'done', summary });
          expect(await (await startSummarizeCase(flows.deps, input)).result()).toMatchObject({ summary });
        });
        expect(charged).toEqual([]);
      },
    );

    it.each(['ERRO', 'NAO_ENCONTRADO'])('ends as RefreshFailed when the read says "%s"', async (state) => {
      const cnj = newCase();
      await flows.fault({ operation: 'getSummary', fault: 'status', status: 200, body: { data: { state } } });
      const failure = await failureOf(await startSummarizeCase(flows.deps, { cnj }));
      expect(failure).toMatchObject({ type: 'RefreshFailed', message: expect.stringContaining(state) as string });
      expect(await readsOf(cnj)).toBe(1);
    });

    it('waits for work that is accepted with a 200', async () => {
      const cnj = newCase();
      const requestId = await flows.post(`processos/cnj/${cnj}/resumo-ia/solicitar-atualizacao`);
      const body = { data: { requestId, status: 'PROCESSANDO', pollAfterMs: 100 } };
      await flows.fault({ operation: 'requestSummary', fault: 'status', status: 200, body });
      const result = await (await startSummarizeCase(flows.deps, { cnj })).result();
      expect(result).toMatchObject({ status: 'done', receipts: [{ requestId: requestId }, {}] });
      expect(await readsOf(cnj)).toBe(1);
    });
  });

  describe('awaitRequest', () => {
    it('takes the answer of our own work, settles its call and pays nothing', async () => {
      const cnj = newCase();
      const refresh = await flows.refresh({ cnj, webhook: '1h' });
      const requestId = await flows.requestIdOf(refresh.workflowId);
      const charged = await flows.paid(async () => {
        const result = await (await startAwaitRequest(flows.deps, { requestId })).result();
        expect(result).toMatchObject({ status: 200, reused: true, spent: { known: '0', unknown: 0 } });
      });
      expect(charged).toEqual([]);
      expect(await refresh.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    });

    it.each([
      ['polls foreign work, free, and does not book its charge', 0],
      ['polls foreign work also when the service names no request while it runs', 2],
    ])('%s', async (_what, times) => {
      const requestId = await flows.post(`processos/cnj/${newCase()}/solicitar-atualizacao`);
      const body = { data: { status: 'PROCESSANDO', pollAfterMs: 100 } };
      if (times > 0) await flows.fault({ operation: 'getRequest', fault: 'status', status: 202, body, times });
      const charged = await flows.paid(async () => {
        const handle = await startAwaitRequest(flows.deps, { requestId });
        expect(handle.workflowId).toBe(`request.default.${requestId}`);
        expect(await handle.result()).toMatchObject({
          status: 200,
          body: { data: { status: 'SUCESSO' } },
          spent: { known: '0', unknown: 0 },
          receipts: [{ outcome: 'DONE' }],
        });
      });
      expect(charged).toEqual([]);
    });

    it('ends with foreign work that is answered 204', async () => {
      const requestId = 'c4b1a6de-3f4e-4c15-9d51-2b3a4c5d6e7f';
      await flows.fault({ operation: 'getRequest', fault: 'status', status: 204, body: '', times: 1 });
      const result = await (await startAwaitRequest(flows.deps, { requestId })).result();
      expect(result).toMatchObject({ status: 204, spent: { known: '0', unknown: 0 }, receipts: [{ outcome: 'DONE' }] });
    });

    it('ends at once with foreign work that ended in a charged error or in plain text', async () => {
      const countPolls = async (): Promise<number> => (await flows.requests('getRequest')).length;
      const before = await countPolls();
      const error = {
        error: { code: 'SOURCE_DOWN', message: 'the court did not answer' },
        meta: { creditsCharged: 0.1, searchLogId: 'log-9' },
      };
      await flows.fault({ operation: 'getRequest', fault: 'status', status: 500, body: error, times: 1 });
      const failed = { requestId: 'c4b1a6de-3f4e-4c15-9d51-2b3a4c5d6e70' };
      const failure = await failureOf(await startAwaitRequest(flows.deps, failed));
      expect(failure).toMatchObject({ type: 'Rejected', details: { status: 500, spent: { known: '0', unknown: 0 } } });
      expect(failure.message).toContain('ended with HTTP 500 (SOURCE_DOWN)');
      await flows.fault({ operation: 'getRequest', fault: 'status', status: 200, body: 'plain words', times: 1 });
      const text = { requestId: 'c4b1a6de-3f4e-4c15-9d51-2b3a4c5d6e71' };
      const result = await (await startAwaitRequest(flows.deps, text)).result();
      expect(result).toMatchObject({ status: 200, spent: { known: '0', unknown: 0 }, receipts: [{ outcome: 'DONE' }] });
      expect(result.bodySha256).toMatch(/^[0-9a-f]{64}$/);
      expect(await countPolls()).toBe(before + 2);
    });

    it('returns the file of foreign work that has ended in one', async () => {
      const pdf = '%PDF-1.7\nedition\n%%EOF\n';
      await flows.fault({ operation: 'getRequest', fault: 'status', status: 200, body: pdf, times: 1 });
      const asked = { requestId: 'c4b1a6de-3f4e-4c15-9d51-2b3a4c5d6e72' };
      const result = await (await startAwaitRequest(flows.deps, asked)).result();
      expect(result).toMatchObject({ status: 200, file: { bytes: pdf.length }, spent: { known: '0', unknown: 0 } });
      expect(result.bodySha256).toBeUndefined();
    });

    it('says that a call has to be decided only if it is undecided', async () => {
      const cnj = newCase();
      const notFound = { error: { code: 'CASE_NOT_FOUND', message: 'no such case' }, meta: { creditsCharged: 0.1 } };
      await flows.fault({ operation: 'getRequest', fault: 'status', status: 404, body: notFound, times: 1 });
      const refresh = await flows.refresh({ cnj, webhook: '1h' });
      const requestId = await flows.requestIdOf(refresh.workflowId);
      const failure = await failureOf(await startAwaitRequest(flows.deps, { requestId }));
      expect(failure).toMatchObject({ type: 'NotFound' });
      expect(failure.message).toMatch(
        /ended REJECTED \(CASE_NOT_FOUND: no such case\); the call was made by workflow [^:]+$/,
      );
      await failureOf(refresh);
    });

    it('ends as NotFound for work that the service does not know, and refuses an invalid id', async () => {
      const unknown = { requestId: 'b4b1a6de-3f4e-4c15-9d51-2b3a4c5d6e7f' };
      const failure = await failureOf(await startAwaitRequest(flows.deps, unknown));
      expect(failure.type).toBe('NotFound');
      expect(failure.message).toContain(`The service does not know request ${unknown.requestId}`);
      expect((await failureOf(await flows.startPlain('awaitRequest', { requestId: 'x' }))).type).toBe('InvalidInput');
    });
  });

  describe('records', () => {
    const count = async (table: string): Promise<number> =>
      Number(
        (await sql<{ count: string }>`select count(*) from ${sql.table(`tramita.${table}`)}`.execute(flows.database.db))
          .rows[0]?.count,
      );

    it('hold what was read, and no write of them failed', async () => {
      const calls = [
        { operation: 'listPrecatorios', params: { ano_orcamentario: 2025 } },
        { operation: 'searchTerm', params: { q: 'contrato' } },
        { operation: 'listCasesByDocument', params: { cpf_cnpj: '90000000175' } },
        { operation: 'listLawyerGazettes', params: { oab_numero: '100001', oab_estado: 'SP' } },
      ];
      for (const call of calls) await (await startCallOperation(flows.deps, call)).result();
      const tables = ['legal_case', 'movement', 'case_summary', 'publication', 'precatorio', 'search_hit'];
      for (const table of tables) expect([table, await count(table)]).toEqual([table, expect.any(Number)]);
      for (const table of tables) expect(await count(table)).toBeGreaterThan(0);
      expect(flows.logs.filter((line) => line.includes('not recorded'))).toEqual([]);
    });
  });

  describe('callOperation of a file', () => {
    it('stores the whole file, and a later reader gets the same one', async () => {
      const params = { id: EDITION };
      const charged = await flows.paid(async () => {
        const first = await (
          await startCallOperation(flows.deps, { operation: 'getElectoralEditionPdf', params })
        ).result();
        expect(first).toMatchObject({
          status: 200,
          file: { stored: expect.stringMatching(/^sha256\//) as string, contentType: 'application/pdf' },
        });
        expect(first).not.toHaveProperty('body');
        const again = { operation: 'getElectoralEditionPdf', params, maxAge: '1h' };
        expect(await (await startCallOperation(flows.deps, again)).result()).toMatchObject({
          reused: true,
          file: first.file,
        });
      });
      expect(charged).toEqual(['getElectoralEditionPdf']);
    });

    it('returns the same file after a reset and pays nothing', async () => {
      const params = { id: 'djee-rj-2026-03-11' };
      const handle = await startCallOperation(flows.deps, { operation: 'getElectoralEditionPdf', params });
      const first = await handle.result();
      const charged = await flows.paid(async () => {
        const again = await flows.resetToFirstTask(handle);
        expect(await again.result()).toMatchObject({ file: first.file });
      });
      expect(charged).toEqual([]);
    });
  });
});
