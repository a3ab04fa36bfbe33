/**
 * One worker of a process fails for good while paid calls are under way. The process ends only after each of them has settled,
 * so nothing is left unknown. And one that fails while it starts, because its database does.
 */
import { sql } from 'kysely';
import { createWorker } from '../../src/workers/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { temporal, withFlows } from './with-flows.js';

const CALLS = 4;
/** Long enough that all calls are under way at the same time, also when the first one starts seconds before the last. */
const ANSWER_AFTER_MS = 12_000;

describe('a worker that fails', () => {
  const flows = withFlows({ worker: false, account: { concurrency: CALLS } });

  it('ends its process only after every charged call under way has settled', async () => {
    let fail: (error: Error) => void = () => undefined;
    const failure = new Promise<never>((_resolve, reject) => (fail = reject));
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const breaks = {
      name: 'breaks',
      runWorker: (worker: never, next: (worker: never) => Promise<void>) => Promise.race([next(worker), failure]),
    };
    const worker = await createWorker({
      config: flows.config,
      temporal: temporal(),
      log,
      workerOptions: { plugins: [breaks] },
    });
    const ended = worker.run().then(
      () => 'well',
      (error: unknown) => (error as Error).message,
    );
    await flows.fault({ operation: 'requestRefresh', fault: 'F7', ms: ANSWER_AFTER_MS, times: CALLS });
    const handles = await Promise.all(
      Array.from({ length: CALLS }, () => flows.refresh({ cnj: newCase(), webhook: false })),
    );
    await until(async () => (await statesOf('open')) === CALLS, { what: 'the calls to be sent' });
    await until(async () => ((await flows.requests('requestRefresh')).length === CALLS ? true : undefined), {
      what: 'the service to have them',
    });

    fail(new Error('the poll failed for good'));
    expect(await ended).toBe('the poll failed for good');
    expect([await statesOf('open'), await statesOf('unknown'), await statesOf('pending')]).toEqual([0, 0, CALLS]);

    await flows.startWorker();
    for (const handle of handles) {
      expect(await handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    }
    expect(await flows.charges()).toHaveLength(CALLS);
  });

  async function statesOf(state: string): Promise<number> {
    const rows = await flows.database.db
      .selectFrom('tramita.intent')
      .select('intent_id')
      .where('state', '=', state)
      .execute();
    return rows.length;
  }
});

describe('a worker whose database stops answering while it starts', () => {
  const flows = withFlows({ worker: false });
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

  it.each(['fingerprint', 'ledger_journal', 'flow_namespace'])(
    'names the database and what to do, when its statement about %s is cancelled',
    async (table) => {
      const start = await flows.database.db.transaction().execute(async (locking) => {
        await sql`lock table ${sql.table(`tramita.${table}`)} in access exclusive mode`.execute(locking);
        const starting = createWorker({ config: flows.config, temporal: temporal(), log }).catch(
          (error: unknown) => error,
        );
        const cancelled = async () =>
          (
            await sql`select pg_cancel_backend(pid) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(flows.database.db)
          ).rows.length > 0;
        await until(cancelled, { what: 'a statement that waits' });
        return await starting;
      });
      expect(start).toMatchObject({
        message: expect.stringMatching(
          /^tramita: the database of TRAMITA_DATABASE_URL \([\w.]+:\d+\) took too long, or a lock in it is not free \(57014\); try again, and look at what it does$/,
        ) as string,
      });
    },
  );
});
