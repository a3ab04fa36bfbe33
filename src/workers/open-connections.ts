/** What a worker process is connected to: its database, Temporal, and traces if they are on. Nothing connects before it is used. */
import { Client, type Connection } from '@temporalio/client';
import type { Config, TemporalConnection } from '../config/index.js';
import { connect, ping, type Database } from '../store/index.js';
import {
  connectClient,
  createDataConverter,
  createLateConverter,
  type LateConverter,
} from '../temporal-client/index.js';
import { openTraces, type Traces } from '../traces/index.js';
import { answersWithin } from '../wakes/index.js';

/** For `/readyz`: a probe waits a few seconds. */
const READY_WITHIN_MS = 2_000;

export interface Connections {
  readonly db: Database;
  readonly connection: Connection;
  /** For `wake` signals and refreshes of portfolios. */
  readonly client: Client;
  /** Lets our client use the converter of the user's own worker, which runs the flows that we start and join. */
  readonly readAs: LateConverter['use'];
  /** Undefined if traces are off. */
  readonly traces: Traces | undefined;
  /** Whether Temporal answers now. Never rejects. */
  readonly reachesTemporal: () => Promise<boolean>;
  /** Whether the database and Temporal answer now. Never rejects. */
  readonly reachable: () => Promise<Readonly<Record<'database' | 'temporal', boolean>>>;
  /** Never rejects. */
  readonly close: () => Promise<void>;
}

export function openConnections(
  { databaseUrl: url = '', databaseConnections: max, traces: protocol }: Config,
  temporal: TemporalConnection,
  log: Parameters<typeof openTraces>[0]['log'],
): Connections {
  const traces = protocol && openTraces({ protocol, service: 'tramita-worker', log });
  const db = connect({ url, applicationName: 'tramita-worker', max });
  const connection = connectClient(temporal);
  const late = createLateConverter(createDataConverter(temporal));
  const client = new Client({
    connection,
    namespace: temporal.namespace,
    dataConverter: late.dataConverter,
    interceptors: { workflow: [...(traces?.clientInterceptors ?? [])] },
  });
  const reachesTemporal = (): Promise<boolean> => {
    const ask = (): Promise<unknown> => connection.workflowService.getSystemInfo({});
    return answersWithin(READY_WITHIN_MS, connection.withDeadline(Date.now() + READY_WITHIN_MS, ask));
  };
  return {
    db,
    connection,
    client,
    readAs: (converter) => late.use(converter),
    traces,
    reachesTemporal,
    reachable: async () => {
      const asked = [answersWithin(READY_WITHIN_MS, ping(db)), reachesTemporal()] as const;
      const [database, temporalReached] = await Promise.all(asked);
      return { database, temporal: temporalReached };
    },
    close: async () => {
      await Promise.allSettled([connection.close(), db.destroy(), traces?.close()]);
    },
  };
}
