/** A flow that is cancelled ends as cancelled, also where the free call that is under way fails before it hears of it. */
import { sql } from 'kysely';
import type { WorkflowHandle } from '@temporalio/client';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

describe('a flow that is cancelled while a free call is under way', () => {
  const flows = withFlows({ sandbox: { coverageMs: 0 } });

  it.each([
    ['refreshPortfolio', 'portfolio_round', { name: 'cancelled', cases: [newCase()] }],
    ['importLawyerCases', 'lawyer_page', { oab: 'SP:123456' }],
  ])('%s ends as cancelled although the call lost its database', async (type, table, input) => {
    const { db } = flows.database;
    await db.transaction().execute(async (trx) => {
      await sql`lock table ${sql.table(`tramita.${table}`)} in access exclusive mode`.execute(trx);
      const run = await flows.startPlain(type, input);
      await until(async () => (await waiting(table).execute(db)).rows[0], { what: `a call to wait for ${table}` });
      await run.cancel();
      await until(() => isTold(run), { what: 'the call to be told' });
      const status = await until(
        async () => {
          // Again, because a statement that lost its connection is run once more.
          await sql`select pg_terminate_backend(pid) from (${waiting(table)}) as waiting`.execute(db);
          const { status } = await run.describe();
          return status.name === 'RUNNING' ? undefined : status.name;
        },
        { what: 'the flow to end' },
      );
      expect(status).toBe('CANCELLED');
    });
  });

  function waiting(table: string) {
    return sql`select pid from pg_locks where not granted and relation = ${`tramita.${table}`}::regclass`;
  }

  async function isTold(run: WorkflowHandle): Promise<boolean | undefined> {
    const { events } = await run.fetchHistory();
    return events?.some((event) => event.activityTaskCancelRequestedEventAttributes) === true ? true : undefined;
  }
});
