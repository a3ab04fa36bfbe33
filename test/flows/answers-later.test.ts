/** Where the service answers 202 to every query: the final is the answer, paid once, in any form. */
import { startCallOperation, startCollectPages, startReadCase } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { auditFlows } from './audit-flows.js';
import { withFlows } from './with-flows.js';

describe.each(['answer', 'completion'])('queries that end later, debited at the %s', (debitAt) => {
  const flows = withFlows({
    sandbox: { queryMs: 200, dialect: { pending: ['*'], debitAt: debitAt as 'answer' | 'completion' } },
  });

  it('collectPages follows the links of finals', async () => {
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

  it('readCase reads finals', async () => {
    const charged = await flows.paid(async () => {
      const result = await (
        await startReadCase(flows.deps, { cnj: newCase(), include: ['cover', 'movements'] })
      ).result();
      expect(result.cover).toHaveProperty('fontes');
      expect(result.movements).not.toEqual([]);
    });
    expect(charged).toEqual(['getCase', 'listMovements']);
  });

  it('a file that comes as a final is stored whole', async () => {
    const charged = await flows.paid(async () => {
      const params = { id: 'djee-sp-2026-03-10' };
      const handle = await startCallOperation(flows.deps, { operation: 'getElectoralEditionPdf', params });
      const result = await handle.result();
      expect(result.file?.bytes).toBeGreaterThan(100);
      // A transfer may take as long as that of a call which answers with the file.
      const { events } = await flows.client.workflow.getHandle(handle.workflowId).fetchHistory();
      const times = events?.flatMap(({ activityTaskScheduledEventAttributes: task }) =>
        task?.activityType?.name === 'awaitFinal' ? [Number(task.startToCloseTimeout?.seconds)] : [],
      );
      expect(times).toEqual([660]);
    });
    expect(charged).toEqual(['getElectoralEditionPdf']);
  });

  it('leaves ledger and charge book equal', async () => {
    expect(await auditFlows(flows)).toEqual([]);
  });
});
