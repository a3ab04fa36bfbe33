/** Prints the nights of the schedule `nightly` of the stack that the environment names. */
import { Client } from '@temporalio/client';
import { connectClient, createDataConverter, loadTemporalConnection } from 'tramita/client';
import { readNights } from './nights.js';

async function main(): Promise<void> {
  const temporal = loadTemporalConnection(process.env);
  const connection = connectClient(temporal);
  const { namespace } = temporal;
  console.table(
    await readNights(new Client({ connection, namespace, dataConverter: createDataConverter(temporal) }), 'nightly'),
  );
  await connection.close();
}
void main();
