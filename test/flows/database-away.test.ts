/**
 * The ledger's database is away for a while under flows that have paid and flows that have not: nothing is sent without an
 * intent, no try is counted, no flow fails, and afterwards every flow has what was asked for, once. `npm run test:away` is the
 * same with 200 flows and ten minutes.
 */
import type { RefreshCaseResult } from '../../src/protocol/index.js';
import type { FlowHandle } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { auditFlows } from './audit-flows.js';
import { withFlows } from './with-flows.js';

const FLOWS = Number(process.env['TRAMITA_AWAY_FLOWS'] ?? 9);
const AWAY_MS = Number(process.env['TRAMITA_AWAY_SECONDS'] ?? 16) * 1_000;
/** Longer than the tries of one intent (10 s); and the next look of the slowest flow after the database is back. */
const HELD_WITHIN_MS = 60_000;
const DONE_WITHIN_MS = 180_000 + FLOWS * 1_000;

describe('the database of the ledger', () => {
  const flows = withFlows({
    wired: true,
    sandbox: { refreshMs: 3_000, pollAfterMs: 500 },
    account: { requestsPerMinute: 60_000, concurrency: 20 },
  });

  it(
    'may be away under flows in every phase: none fails, all go on, and each call is paid once',
    async () => {
      const third = Math.ceil(FLOWS / 3);
      const start = (count: number, more: { readonly documents?: boolean } = {}) =>
        Promise.all(Array.from({ length: count }, () => flows.refresh({ cnj: newCase(), webhook: false, ...more })));

      const paid = await start(third, { documents: true });
      const sending = await start(third);
      await until(async () => (await flows.charges()).length >= third, {
        what: 'the first flows to have paid',
      });
      flows.takeDatabaseAway();
      const backAtMs = Date.now() + AWAY_MS;
      const unpaid = await start(FLOWS - 2 * third);
      for (const { workflowId } of unpaid) {
        const told = await until(
          async () => {
            const { waitingFor } = await flows.progress(workflowId);
            return waitingFor?.startsWith('the database: ') === true ? waitingFor : undefined;
          },
          { withinMs: HELD_WITHIN_MS, what: `${workflowId} to wait for the database` },
        );
        expect(told).toMatch(
          /^the database: the ledger could not be written \(.*\); nothing is sent meanwhile; goes on by itself, and ends as Unreachable where this lasts until /,
        );
      }
      await until(() => Date.now() >= backAtMs, { withinMs: AWAY_MS + 1_000, what: 'the outage' });
      for (const { workflowId } of [...paid, ...sending, ...unpaid]) {
        const { status } = await flows.client.workflow.getHandle(workflowId).describe();
        expect([workflowId, status.name]).toEqual([workflowId, expect.stringMatching(/^(RUNNING|COMPLETED)$/)]);
      }
      flows.bringDatabaseBack();

      const results = await Promise.all([...paid, ...sending, ...unpaid].map((handle) => handle.result()));
      expect(results.map(({ status }) => status)).toEqual(Array.from({ length: FLOWS }, () => 'done'));
      expect(await auditFlows(flows)).toEqual([]);
      const refreshes = await flows.charges({ operation: 'requestRefresh' });
      expect(refreshes).toHaveLength(FLOWS);
      for (const handle of unpaid) await heldWithoutTries(handle);
    },
    HELD_WITHIN_MS + AWAY_MS + DONE_WITHIN_MS,
  );

  it('has not taken an answer that came meanwhile: the flow says so, and not that its call is on its way', async () => {
    await flows.fault({ operation: 'requestRefresh', fault: 'F7', ms: 2_000, times: 1 });
    const before = (await flows.charges()).length;
    const sent = async () => (await flows.requests('requestRefresh')).length;
    const sentBefore = await sent();
    const handle = await flows.refresh({ cnj: newCase(), webhook: false });
    await until(async () => (await sent()) > sentBefore, { what: 'the call' });
    flows.takeDatabaseAway();
    await until(async () => (await flows.charges()).length > before, { what: 'the charge' });
    const told = await until(
      async () => {
        const { state, waitingFor } = await flows.progress(handle.workflowId);
        return state === 'requesting' ? undefined : waitingFor;
      },
      { withinMs: HELD_WITHIN_MS, what: 'the flow to wait for the database' },
    );
    flows.bringDatabaseBack();
    expect(told).toBe(
      'the database: it has not taken the answer of POST refresh, kept on the disk of the worker that made the call',
    );
    expect(await handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
  }, 120_000);

  /** However long it was held: one activity that waits, and one send that counts. */
  async function heldWithoutTries(handle: FlowHandle<RefreshCaseResult>): Promise<void> {
    expect((await handle.result()).receipts).toEqual([expect.objectContaining({ outcome: 'DONE', amount: '0.1' })]);
    const { events } = await flows.client.workflow.getHandle(handle.workflowId).fetchHistory();
    const names = (events ?? []).flatMap(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
    );
    expect(names.filter((name) => name === 'awaitRelease').length).toBeGreaterThan(0);
    expect((events ?? []).length).toBeLessThan(150);
  }
});
