/**
 * Starts the refresh of a stored list only where its plan costs no more than a limit.
 *
 *   node examples/planner/start-within.mjs <list> <limit>
 *
 * It needs the environment of the workers (TRAMITA_DATABASE_URL, TRAMITA_ID_KEY, TRAMITA_CONFIG, TRAMITA_PAYLOAD_KEYS, TEMPORAL_ADDRESS); no API key.
 */
import { Client } from '@temporalio/client';
import {
  connect,
  connectClient,
  createDataConverter,
  createStarterDeps,
  loadTemporalConnection,
  planFlow,
  resolveConfig,
  startRefreshPortfolio,
} from 'tramita';

const [list, limit] = process.argv.slice(2);
if (list === undefined || !(Number(limit) > 0)) throw new Error('usage: start-within.mjs <list> <limit>');

const config = resolveConfig({ env: process.env, overrides: { withoutApiKeys: true } });
const temporal = loadTemporalConnection(process.env);
const connection = connectClient(temporal);
const dataConverter = createDataConverter(temporal);
const client = new Client({ connection, namespace: temporal.namespace, dataConverter });
const db = connect({ url: config.databaseUrl ?? '', applicationName: 'planner', max: 1 });
try {
  // A case that was refreshed in the last day is not bought again.
  const input = { name: list, maxAge: '24h' };
  const { cost, calls, stop, problem } = await planFlow({ db, config, client }, 'refreshPortfolio', input);
  for (const { operation, state, count = 1, price } of calls) {
    console.log(`${count} × ${operation}: ${state}${price === null ? '' : `, ${price} each`}`);
  }
  console.log(`cost: ${cost.kind} ${cost.amount ?? ''}`);
  if (problem !== null) throw new Error(problem);
  if (stop !== null) console.log(`stops at the cap "${stop.cap}" of ${stop.limit}`);
  if (cost.amount === null || Number(cost.amount) > Number(limit)) {
    console.log(`not started: the limit is ${limit}`);
  } else {
    // The limit holds for the run as well, whatever other flows do meanwhile.
    const run = await startRefreshPortfolio(createStarterDeps(config, client), { ...input, maxSpend: limit });
    const { done, spent } = await run.result();
    console.log(`done: ${done}, spent ${spent.known}`);
  }
} finally {
  await db.destroy();
  await connection.close();
}
