/** Plain reads of the ledger: one row, many rows, the stored answer, sums. They take no locks. */
import { present } from '../contract/index.js';
import { sql } from 'kysely';
import type { Amount } from '../contract/index.js';
import type { Database } from '../store/index.js';
import { readIntent } from './intent-row.js';
import type { Intent, LedgerFilter, RunSpent, SettlementConflict } from './types.js';

const DEFAULT_LIMIT = 1_000;

export async function findIntent(db: Database, intentId: string): Promise<Intent | undefined> {
  const row = await db.selectFrom('tramita.intent').selectAll().where('intent_id', '=', intentId).executeTakeFirst();
  return row === undefined ? undefined : readIntent(row);
}

export async function listIntents(db: Database, filter: LedgerFilter): Promise<readonly Intent[]> {
  let query = db.selectFrom('tramita.intent').selectAll();
  if (filter.account !== undefined) query = query.where('account', '=', filter.account);
  if (filter.workflowId !== undefined) query = query.where('workflow_id', '=', filter.workflowId);
  if (filter.firstRunId !== undefined) query = query.where('first_run_id', '=', filter.firstRunId);
  if (filter.state !== undefined) query = query.where('state', '=', filter.state);
  if (filter.operation !== undefined) query = query.where('operation', '=', filter.operation);
  const rows = await query
    .orderBy('seq', 'desc')
    .limit(filter.limit ?? DEFAULT_LIMIT)
    .execute();
  return rows.map(readIntent);
}

const CASE_KEY = 'cnj:';

export async function requestedIntent(
  db: Database,
  account: string,
  requestId: string,
): Promise<{ readonly intent: Intent; readonly cnj?: string } | undefined> {
  const row = await db
    .selectFrom('tramita.intent')
    .selectAll()
    .where('request_id', '=', requestId)
    .where('account', '=', account)
    .where('joined', 'is', null)
    .where('operation', '<>', 'getRequest')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const cnj = row.waiter_keys.find((key) => key.startsWith(CASE_KEY))?.slice(CASE_KEY.length);
  return { intent: readIntent(row), ...present({ cnj }) };
}

export async function intentsAbout(
  db: Database,
  call: { readonly account: string; readonly operation: string; readonly subject: string },
): Promise<readonly Intent[]> {
  const rows = await db
    .selectFrom('tramita.intent')
    .selectAll()
    .where('account', '=', call.account)
    .where('operation', '=', call.operation)
    .where('subject', '=', call.subject)
    .orderBy('seq', 'desc')
    .limit(50)
    .execute();
  return rows.map(readIntent);
}

export async function answerOf(
  db: Database,
  intentId: string,
): Promise<{ readonly bytes: Buffer; readonly sha256: string } | undefined> {
  return db
    .selectFrom('tramita.intent as asked')
    .innerJoin('tramita.intent as root', (join) =>
      join.on('root.intent_id', '=', sql<string>`coalesce(asked.joined, asked.intent_id)`),
    )
    .innerJoin('tramita.answer_body as body', 'body.sha256', 'root.body_sha256')
    .select(['body.bytes', 'body.sha256'])
    .where('asked.intent_id', '=', intentId)
    .executeTakeFirst();
}

export async function lastBalance(db: Database, account: string): Promise<Amount | undefined> {
  const row = await db
    .selectFrom('tramita.intent')
    .select('balance_after')
    .where('account', '=', account)
    .where('balance_after', 'is not', null)
    .orderBy('balance_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return (row?.balance_after ?? undefined) as Amount | undefined;
}

export async function spentOf(
  db: Database,
  run: { readonly workflowId: string; readonly firstRunId: string },
): Promise<RunSpent> {
  const { known, unknown } = await db
    .selectFrom('tramita.intent')
    .select([
      sql<Amount>`coalesce(sum(charged), 0)::bigint`.as('known'),
      sql<number>`count(*) filter (where charged is null and reserved > 0)::integer`.as('unknown'),
    ])
    .where('workflow_id', '=', run.workflowId)
    .where('first_run_id', '=', run.firstRunId)
    .executeTakeFirstOrThrow();
  return { known, unknown };
}

export async function listConflicts(db: Database): Promise<readonly SettlementConflict[]> {
  const rows = await db
    .selectFrom('tramita.settlement_conflict')
    .selectAll()
    .orderBy('seq', 'desc')
    .limit(DEFAULT_LIMIT)
    .execute();
  return rows.map((row) => ({
    intentId: row.intent_id,
    settlement: row.settlement,
    bodySha256: row.body_sha256,
    foundAtMs: row.found_at,
  }));
}

/** Noted on the original and on every row that joined it: whoever polls next has the proof. */
export async function markRunningSeen(db: Database, intentId: string): Promise<void> {
  await sql`
    update tramita.intent set running_seen = true
    from (select coalesce(joined, intent_id) as id from tramita.intent where intent_id = ${intentId}::uuid) as root
    where (intent.intent_id = root.id or intent.joined = root.id) and not intent.running_seen`.execute(db);
}
