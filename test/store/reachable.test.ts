/** `tramita_worker_reachable`: what this worker reaches now, whatever another worker has found before. */
import { Client, Connection } from '@temporalio/client';
import { shareFinding } from '../../src/store/index.js';
import { createMetrics } from '../../src/workers/metrics.js';
import { withDatabase } from '../support/database.js';

describe('a worker that does not reach Temporal', () => {
  const database = withDatabase();

  test('reports it at once, although it shares figures of another worker', async () => {
    const connection = Connection.lazy({ address: '127.0.0.1:9' });
    const parked = [{ labels: { attention: 'budget' }, value: 3 }];
    await shareFinding(database.db, { name: 'parked 2 of default', keptMs: 30_000 }, () => Promise.resolve(parked));
    const pageWhere = (temporal: boolean): Promise<string> =>
      createMetrics({
        db: database.db,
        client: new Client({ connection }),
        accounts: {},
        clock: Date.now,
        inbox: { areWebhooksSilent: () => Promise.resolve(false) },
        spool: { list: () => Promise.resolve([]) },
        journal: { bytes: () => Promise.resolve(0) },
        reachesTemporal: () => Promise.resolve(temporal),
      })();
    expect(await pageWhere(true)).toContain('tramita_worker_reachable{source="temporal"} 1');
    const page = await pageWhere(false);
    expect(page).toContain('tramita_worker_reachable{source="temporal"} 0');
    expect(page).toContain('tramita_worker_reachable{source="database"} 1');
    expect(page).toContain('tramita_flows_parked{attention="budget"} 3');
    await connection.close();
  });
});
