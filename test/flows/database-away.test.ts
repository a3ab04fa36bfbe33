/**
 * An outage of the ledger's database while some flows have paid and others have not. Nothing is sent without an intent, no
 * attempt is counted and no flow fails. Afterwards every flow has its result, paid once. `npm run test:away` runs the same
 * with 200 flows and ten minutes.
 */
import type { RefreshCaseResult } from '../../src/protocol/index.js';
import type { FlowHandle } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { auditFlows } from './audit-flows.js';
import { withFlows } from './with-flows.js';

const FLOWS = Number(process.env['TRAMITA_AWAY_FLOWS'] ?? 9);
const AWAY_MS = Number(process.env['TRAMITA_AWAY_SECONDS'] ?? 16) * 1_000;
/** Longer than the attempts to write one intent (10 s). */
const HELD_WITHIN_MS = 60_000;
/** Includes the next look of the slowest flow after the database is back. */
const DONE_WITHIN_MS = 180_000 + FLOWS * 1_000;

describe('an outage of the ledger database', () => {
  const flows = withFlows({
    wired: true,
    sandbox: { refreshMs: 3_000, pollAfterMs: 500 },
    account: { requestsPerMinute: 60_000, concurrency: 20 },
  });

  it(
    'fails no flow in any phase, and each call is paid once',
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
        const reason = await until(
          async () => {
            const { waitingFor } = await flows.progress(workflowId);
            return waitingFor?.startsWith('the database: ') === true ? waitingFor : undefined;
          },
          { withinMs: HELD_WITHIN_MS, what: `${workflowId} to wait for the database` },
        );
        expect(reason).toMatch(
          /^the database: the ledger could not be written \(.*\); nothing is sent meanwhile; the flow continues on its own, and ends as Unreachable if this lasts until /,
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
      for (const handle of unpaid) await expectHeldWithoutAttempts(handle);
    },
    HELD_WITHIN_MS + AWAY_MS + DONE_WITHIN_MS,
  );

  it('is named in the progress of a flow whose answer arrived meanwhile', async () => {
    // Long enough for the database to be away before the answer, also when this process pauses for some seconds.
    await flows.fault({ operation: 'requestRefresh', fault: 'F7', ms: 8_000, times: 1 });
    const before = (await flows.charges()).length;
    const sent = async () => (await flows.requests('requestRefresh')).length;
    const sentBefore = await sent();
    const handle = await flows.refresh({ cnj: newCase(), webhook: false });
    await until(async () => (await sent()) > sentBefore, { what: 'the call' });
    flows.takeDatabaseAway();
    await until(async () => (await flows.charges()).length > before, { what: 'the charge' });
    const reason = await until(
      async () => {
        const { state, waitingFor } = await flows.progress(handle.workflowId);
        return state === 'requesting' ? undefined : waitingFor;
      },
      { withinMs: HELD_WITHIN_MS, what: 'the flow to wait for the database' },
    );
    flows.bringDatabaseBack();
    expect(reason).toBe(
      'the database to store the answer of POST refresh, kept on the disk of the worker that made the call',
    );
    expect(await handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
  });

  /** However long a flow was held, its call counts one attempt and its history stays short. */
  async function expectHeldWithoutAttempts(handle: FlowHandle<RefreshCaseResult>): Promise<void> {
    expect((await handle.result()).receipts).toEqual([expect.objectContaining({ outcome: 'DONE', amount: '0.1' })]);
    const { events } = await flows.client.workflow.getHandle(handle.workflowId).fetchHistory();
    const names = (events ?? []).flatMap(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
    );
    expect(names.filter((name) => name === 'awaitRelease').length).toBeGreaterThan(0);
    expect((events ?? []).length).toBeLessThan(150);
  }
});
