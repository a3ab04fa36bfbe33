/** Consumes until SIGTERM, from the database that `TRAMITA_DATABASE_URL` names. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openPool, prepare, takePage } from './consumer.js';

const IDLE_MS = 1_000;

async function main(): Promise<void> {
  const pool = openPool(process.env['TRAMITA_DATABASE_URL'] ?? '');
  let isOver = false;
  process.once('SIGTERM', () => (isOver = true));
  await prepare(pool);
  while (!isOver) if ((await takePage(pool)) === 0) await sleep(IDLE_MS);
  await pool.end();
}
void main();
