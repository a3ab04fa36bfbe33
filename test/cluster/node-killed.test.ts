/**
 * Two Temporal nodes on one PostgreSQL, a balancer in front of their frontends, and a worker whose node is killed with SIGKILL
 * while a flow waits. The nodes' server is built by `npm run cluster`; without it these tests are skipped.
 */
import { rmSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { startClusterServers, type ClusterNode, type ClusterServers } from '../../soak/cluster/servers.js';
import { soakFolder } from '../../soak/servers.js';
import { cachedClusterServer, type Part } from '../../src/local/index.js';
import type { RefreshCaseResult } from '../../src/protocol/index.js';
import { startRefreshCase } from '../../src/starters/index.js';
import { chargesOf, pollsOf, untilCharged } from '../e2e/looks.js';
import { withPrograms } from '../e2e/processes.js';
import { withFlows } from '../flows/with-flows.js';
import { newCaseWithDocuments } from '../support/case-number.js';
import { until } from '../support/until.js';

const HOUR_MS = 3_600_000;

const isBuilt = cachedClusterServer(process.env) !== undefined;
if (!isBuilt) process.stderr.write('cluster: skipped, its Temporal server is not built; `npm run cluster` builds it\n');

(isBuilt ? describe : describe.skip)('a cluster of two Temporal nodes', () => {
  const parts: Part[] = [];
  let servers: ClusterServers | undefined;
  beforeAll(async () => {
    const folder = soakFolder();
    parts.push({ name: 'folder', stop: () => rmSync(folder, { recursive: true, force: true }) });
    const add = <T extends Part>(part: T): T => {
      parts.push(part);
      return part;
    };
    const { signal } = new AbortController();
    const request = (): void => undefined;
    servers = await startClusterServers({ add, signal, request }, { folder, onProgress: () => undefined });
    // Changes the environment of this file only: `withFlows` finds its servers here.
    process.env['TRAMITA_TEST_DATABASE_URL'] = servers.databaseUrl;
    process.env['TRAMITA_TEST_TEMPORAL_ADDRESS'] = servers.temporalAddress;
  }, 300_000);
  afterAll(async () => {
    for (const part of parts.reverse()) await part.stop();
  });

  describe('with one node killed by SIGKILL', () => {
    const programs = withPrograms(() => flows);
    const flows = withFlows({ worker: false, sandbox: { refreshMs: HOUR_MS, pollAfterMs: 200 } });
    /** Waits for one more poll of this request. */
    const untilPolled = async (requestId: string | null | undefined): Promise<void> => {
      const before = await pollsOf(flows, requestId);
      await until(async () => (await pollsOf(flows, requestId)) > before, {
        // A poll that was lost with its node is noticed after half a minute.
        withinMs: 120_000,
        what: 'a poll',
      });
    };
    /** Waits, because a node that does not answer for a second loses its connections for a moment. */
    const untilLedTo = async ({ address }: ClusterNode): Promise<void> => {
      const { balancer } = servers!;
      await until(() => isDeepStrictEqual(new Set(balancer.targets()), new Set([address])), {
        what: `all connections to lead to ${address}`,
      });
    };

    it('moves the worker to the other node, and the flow ends with one charge for each purchase', async () => {
      const { nodes } = servers!;
      const [killed, other] = nodes as [ClusterNode, ClusterNode];
      // All connections of the worker lead to the one node that is there.
      await other.kill();
      await programs.startWorker();
      await untilLedTo(killed);
      await other.start();

      const cnj = newCaseWithDocuments();
      const connection = await Connection.connect({ address: killed.address });
      const deps = { ...flows.deps, client: new Client({ connection }) };
      const { workflowId } = await startRefreshCase(deps, { cnj, documents: true, webhook: false });
      await connection.close();
      const [charge] = await untilCharged(flows, cnj);
      await untilPolled(charge?.requestId);

      await killed.kill();
      await untilPolled(charge?.requestId);
      await untilLedTo(other);
      await flows.control('/clock', { advanceMs: HOUR_MS });
      const result = (await flows.client.workflow.getHandle(workflowId).result()) as RefreshCaseResult;
      expect(result).toMatchObject({ status: 'done', spent: { unknown: 0 } });
      expect(result.documents.length).toBeGreaterThan(0);
      const bought = (await chargesOf(flows, cnj)).map(({ operation }) => operation);
      expect(bought).toEqual(['requestRefresh', 'listPublicDocuments']);
      await programs.audit();
    }, 400_000);
  });
});
