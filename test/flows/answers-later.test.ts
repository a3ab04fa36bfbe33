/** Flows at a service that answers 202 to every query. The final answer comes later, in any form, and is paid once. */
import { startCallOperation, startCollectPages, startReadCase } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { auditFlows } from './audit-flows.js';
import { withFlows } from './with-flows.js';

describe.each(['answer', 'completion'])(
  'when the service answers every query with 202, debited at the %s',
  (debitAt) => {
    const flows = withFlows({
      sandbox: { queryMs: 200, dialect: { pending: ['*'], debitAt: debitAt as 'answer' | 'completion' } },
    });

    it('collectPages follows the links in final answers', async () => {
      const charged = await flows.paid(async () => {
        const params = { ano_orcamentario: 2027 };
        const result = await (
          await startCollectPages(flows.deps, { operation: 'listPrecatorios', params, maxPages: 2 })
        ).result();
        expect(result).toMatchObject({ pages: 2, items: 40, spent: { unknown: 0 } });
        expect(Number(result.spent.known)).toBeGreaterThan(0);
      });
      expect(charged).toEqual(['listPrecatorios', 'listPrecatorios']);
    });

    it('readCase returns the final answers', async () => {
      const charged = await flows.paid(async () => {
        const result = await (
          await startReadCase(flows.deps, { cnj: newCase(), include: ['cover', 'movements'] })
        ).result();
        expect(result.cover).toHaveProperty('fontes');
        expect(result.movements).not.toEqual([]);
      });
      expect(charged).toEqual(['getCase', 'listMovements']);
    });

    it('callOperation stores the whole file of a final answer', async () => {
      const charged = await flows.paid(async () => {
        const params = { id: 'djee-sp-2026-03-10' };
        const handle = await startCallOperation(flows.deps, { operation: 'getElectoralEditionPdf', params });
        const result = await handle.result();
        expect(result.file?.bytes).toBeGreaterThan(100);
        // The transfer has the timeout of a call that is answered with the file at once.
        const { events } = await flows.client.workflow.getHandle(handle.workflowId).fetchHistory();
        const times = events?.flatMap(({ activityTaskScheduledEventAttributes: task }) =>
          task?.activityType?.name === 'awaitFinal' ? [Number(task.startToCloseTimeout?.seconds)] : [],
        );
        expect(times).toEqual([660]);
      });
      expect(charged).toEqual(['getElectoralEditionPdf']);
    });

    it('the ledger and the charge book agree', async () => {
      expect(await auditFlows(flows)).toEqual([]);
    });
  },
);
