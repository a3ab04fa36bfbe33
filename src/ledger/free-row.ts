/** Builds the next row of a read that should be free, for a workflow, under a step of its own. */
import { sql } from 'kysely';
import { freeStep } from '../contract/values/index.js';
import type { Database } from '../store/index.js';
import type { KeptIntent } from './intent-row.js';
import type { Intent } from './intent.js';
import { buildShut } from './new-intent.js';

/** Must be called under the lock of its step. */
export async function nextFreeRow(
  trx: Database,
  { account, operation, workflowId, firstRunId }: Pick<Intent, 'account' | 'operation' | 'workflowId' | 'firstRunId'>,
  { intentId, nowMs }: { readonly intentId: string; readonly nowMs: number },
): Promise<KeptIntent> {
  const step = freeStep(operation);
  const { rows } = await sql<{ readonly ordinal: number }>`
    select coalesce(max(ordinal), 0) + 1 as ordinal from tramita.intent
    where workflow_id = ${workflowId} and first_run_id = ${firstRunId} and step = ${step}`.execute(trx);
  const key = { workflowId, firstRunId, step, ordinal: rows[0]?.ordinal ?? 1, account, operation };
  return buildShut(key, { intentId, subject: '', nowMs });
}
