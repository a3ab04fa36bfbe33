/** The page of `/metrics`: what this worker reaches now, whatever another worker has found before, and how long a page is kept. */
import { Client, Connection } from '@temporalio/client';
import { shareFinding } from '../../src/store/index.js';
import { createMetrics, type MetricsSources } from '../../src/workers/metrics.js';
import { withDatabase } from '../support/database.js';

const database = withDatabase();
const connection = Connection.lazy({ address: '127.0.0.1:9' });
afterAll(() => connection.close());

function sourcesWith(given: Partial<MetricsSources>): MetricsSources {
  return {
    db: database.db,
    client: new Client({ connection }),
    accounts: {},
    clock: { nowMs: Date.now, monotonicMs: () => performance.now() },
    inbox: { areWebhooksSilent: () => Promise.resolve(false) },
    spool: { list: () => Promise.resolve([]) },
    journal: { bytes: () => Promise.resolve(0) },
    reachesTemporal: () => Promise.resolve(true),
    ...given,
  };
}

describe('a worker that does not reach Temporal', () => {
  test('reports it at once, although it shares figures of another worker', async () => {
    const parked = [{ labels: { attention: 'budget' }, value: 3 }];
    await shareFinding(database.db, { name: 'parked 2 of default', keptMs: 30_000 }, () => Promise.resolve(parked));
    const pageWhere = (temporal: boolean): Promise<string> =>
      createMetrics(sourcesWith({ reachesTemporal: () => Promise.resolve(temporal) }))();
    expect(await pageWhere(true)).toContain('tramita_worker_reachable{source="temporal"} 1');
    const page = await pageWhere(false);
    expect(page).toContain('tramita_worker_reachable{source="temporal"} 0');
    expect(page).toContain('tramita_worker_reachable{source="database"} 1');
    expect(page).toContain('tramita_flows_parked{attention="budget"} 3');
  });
});

test('a page is kept for seconds, although the clock is set back by an hour meanwhile', async () => {
  const now = { nowMs: Date.now(), monotonicMs: 0 };
  let spooled: readonly string[] = [];
  const page = createMetrics(
    sourcesWith({
      clock: { nowMs: () => now.nowMs, monotonicMs: () => now.monotonicMs },
      spool: { list: () => Promise.resolve(spooled) },
    }),
  );
  expect(await page()).toContain('tramita_spool_answers 0');
  spooled = ['one'];
  expect(await page()).toContain('tramita_spool_answers 0');
  now.nowMs -= 3_600_000;
  now.monotonicMs += 6_000;
  expect(await page()).toContain('tramita_spool_answers 1');
});
