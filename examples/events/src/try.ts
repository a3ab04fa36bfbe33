/** Three consumers on a stack of their own. Their connections are cut all the time, while webhooks come. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { createTestStack } from 'tramita/testing';
import { openPool, prepare, takePage } from './consumer.js';

const EVENTS = 40;

async function main(): Promise<void> {
  const stack = await createTestStack({ onProgress: console.log });
  const pool = openPool(stack.databaseUrl);
  try {
    await prepare(pool);
    let isOver = false;
    const consume = async (): Promise<void> => {
      while (!isOver) if ((await takePage(pool).catch(() => 0)) === 0) await sleep(10);
    };
    const cut = async (): Promise<void> => {
      while (!isOver) {
        await cutConnections(pool);
        await sleep(50);
      }
    };
    const running = [consume(), consume(), consume(), cut()];
    for (let n = 0; n < EVENTS; n += 1) {
      await stack.sandbox.sendEvent({ action: 'send', event: 'nova_movimentacao', id: `news-${n}` });
    }
    let count = 0;
    while (count < EVENTS) {
      await sleep(50);
      count = await countNews(pool).catch(() => count);
    }
    isOver = true;
    await Promise.all(running);
    console.log(`${EVENTS} webhooks, ${count} rows`);
  } finally {
    await pool.end();
    await stack.stop();
  }
}

async function countNews(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: string }>('select count(*) from backend.news');
  return Number(rows[0]?.count);
}

/** Simulates a crash of a consumer: its connection ends in the middle of a transaction. */
async function cutConnections(pool: Pool): Promise<void> {
  await pool
    .query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where query like '%backend.cursor%' and pid <> pg_backend_pid() and datname = current_database()`,
    )
    .catch(() => undefined);
}
void main();
