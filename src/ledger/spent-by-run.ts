/** What runs were charged, by the ledger's own rows: a row that joined another one cost its flow nothing. Reads only. */
import { sql } from 'kysely';
import type { Amount } from '../contract/index.js';
import type { Database } from '../store/index.js';

export interface RunSpent {
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly known: Amount;
  /** Charges that may have been made and whose amount nobody knows. */
  readonly unknown: number;
}

/** Of every run under these ids; ids without a row are left out. */
export async function spentByRun(db: Database, workflowIds: readonly string[]): Promise<readonly RunSpent[]> {
  const { rows } = await sql<RunSpent>`
    select workflow_id as "workflowId", first_run_id as "firstRunId", coalesce(sum(charged), 0)::bigint as known,
      count(*) filter (where charged is null and reserved > 0)::integer as unknown
    from tramita.intent_all
    where workflow_id = any(${[...workflowIds]}::text[]) and joined is null
    group by workflow_id, first_run_id`.execute(db);
  return rows;
}
