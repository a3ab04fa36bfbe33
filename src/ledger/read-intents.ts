/** Plain reads of the ledger: one row, many rows, the stored answer. They take no locks. */
import { sql, type Selectable } from 'kysely';
import { present, type Parameters } from '../contract/index.js';
import { cnjOfKeys } from '../inbox/index.js';
import type { StepKey } from '../protocol/index.js';
import type { Database, IntentTable } from '../store/index.js';
import type { Intent, IntentState } from './intent.js';
import { readIntent } from './intent-row.js';
import type { LedgerDependencies } from './settings.js';
import { subjectToken } from './subject.js';

export interface LedgerFilter {
  readonly account?: string;
  readonly workflowId?: string;
  readonly firstRunId?: string;
  readonly state?: IntentState;
  readonly operation?: string;
  /** Newest rows only; 1,000. */
  readonly limit?: number;
}

export interface IntentReads {
  find(intentId: string): Promise<Intent | undefined>;
  /** Newest first. */
  list(filter: LedgerFilter): Promise<readonly Intent[]>;
  /** Rows about the same call, whatever run made it and with whatever flags; newest 50 first. */
  about(call: {
    readonly account: string;
    readonly operation: string;
    readonly params: Parameters;
  }): Promise<readonly Intent[]>;
  /** The original row that this pending work belongs to, with the case it waits for; `getRequest` rows have no work of their own. */
  requested(
    account: string,
    requestId: string,
  ): Promise<{ readonly intent: Intent; readonly cnj?: string } | undefined>;
  /** The stored answer of an intent, following `joined`. */
  answerBytes(intentId: string): Promise<{ readonly bytes: Buffer; readonly sha256: string } | undefined>;
  /** Noted on the original and on every row that joined it: the next poll, of whatever flow, has the proof. */
  markRunningSeen(intentId: string): Promise<void>;
}

const DEFAULT_LIMIT = 1_000;

export async function findIntent(db: Database, intentId: string): Promise<Intent | undefined> {
  const row = await rowsWhere(db, { intent_id: intentId }).executeTakeFirst();
  return row === undefined ? undefined : readIntent(row);
}

export async function findAtStep(
  db: Database,
  { workflowId, firstRunId, step, ordinal }: StepKey,
): Promise<Intent | undefined> {
  const key = { workflow_id: workflowId, first_run_id: firstRunId, step, ordinal };
  const row = await rowsWhere(db, key).executeTakeFirst();
  return row === undefined ? undefined : readIntent(row);
}

function rowsWhere(db: Database, filter: Partial<Selectable<IntentTable>>) {
  return db
    .selectFrom('tramita.intent')
    .selectAll()
    .where((where) => where.and(filter));
}

type Terms = Pick<LedgerDependencies, 'db' | 'token' | 'catalogue' | 'gaps'>;

export function createReads({ db, ...terms }: Terms): IntentReads {
  const newest = async (filter: Partial<Selectable<IntentTable>>, limit: number): Promise<readonly Intent[]> => {
    const rows = await rowsWhere(db, filter).orderBy('seq', 'desc').limit(limit).execute();
    return rows.map(readIntent);
  };
  return {
    find: (intentId) => findIntent(db, intentId),
    list: ({ account, workflowId, firstRunId, state, operation, limit = DEFAULT_LIMIT }) =>
      newest(present({ account, workflow_id: workflowId, first_run_id: firstRunId, state, operation }), limit),
    about: ({ account, operation, params }) =>
      newest({ account, operation, subject: subjectToken(terms, { operation, params }) }, 50),
    requested: async (account, requestId) => {
      const row = await rowsWhere(db, { request_id: requestId, account })
        .where('joined', 'is', null)
        .where('operation', '<>', 'getRequest')
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row === undefined
        ? undefined
        : { intent: readIntent(row), ...present({ cnj: cnjOfKeys(row.waiter_keys) }) };
    },
    answerBytes: (intentId) =>
      db
        .selectFrom('tramita.intent as asked')
        .innerJoin('tramita.intent as root', (join) =>
          join.on('root.intent_id', '=', sql<string>`coalesce(asked.joined, asked.intent_id)`),
        )
        .innerJoin('tramita.answer_body as body', 'body.sha256', 'root.body_sha256')
        .select(['body.bytes', 'body.sha256'])
        .where('asked.intent_id', '=', intentId)
        .executeTakeFirst(),
    markRunningSeen: async (intentId) => {
      await sql`
        update tramita.intent set running_seen = true
        from (select coalesce(joined, intent_id) as id from tramita.intent where intent_id = ${intentId}::uuid) as root
        where (intent.intent_id = root.id or intent.joined = root.id) and not intent.running_seen`.execute(db);
    },
  };
}
