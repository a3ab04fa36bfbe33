/** The backend against the stack that the environment names (`tramita up` prints the lines). */
import { Client } from '@temporalio/client';
import {
  connectClient,
  createDataConverter,
  createStarterDeps,
  loadTemporalConnection,
  resolveConfig,
} from 'tramita/client';
import { createApp } from './app.js';

const config = resolveConfig({ env: process.env, overrides: { withoutApiKeys: true } });
const temporal = loadTemporalConnection(process.env);
const { namespace } = temporal;
const client = new Client({
  connection: connectClient(temporal),
  namespace,
  dataConverter: createDataConverter(temporal),
});
const port = Number(process.env['PORT'] ?? 3000);
createApp(createStarterDeps(config, client)).listen(port, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${port}/orders/1`);
});
