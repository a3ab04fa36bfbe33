/** Plain reads of the ledger: one row, many rows, the stored answer. They take no locks. */
import { sql, type Selectable } from 'kysely';
import { present } from '../contract/index.js';
import { spellingsOfKey } from '../contract/values/index.js';
import { cnjOfKeys } from '../inbox/index.js';
import type { CallSubject, StepKey, StepOfFlow } from '../protocol/index.js';
import { instant, type Database, type IntentTable } from '../store/index.js';
import type { Intent, IntentState } from './intent.js';
import { readIntent } from './intent-row.js';
import type { LedgerDependencies } from './settings.js';
import { isFinal, MAY_BE_PAID } from './states.js';
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

interface CallsSince {
  readonly account: string;
  readonly operations: readonly string[];
  readonly sinceMs: number;
  /** Not this call. */
  readonly except: string;
  /** Not these if they are done. */
  readonly exceptDone: readonly string[];
}

export interface IntentReads {
  /** Reads the archive too, like everything here. */
  find(intentId: string): Promise<Intent | undefined>;
  /** Newest first. */
  list(filter: LedgerFilter): Promise<readonly Intent[]>;
  /** Originals about the same call, of any run and with any flags; newest 50 first. */
  about(call: Pick<CallSubject, 'account' | 'operation' | 'params' | 'body'>): Promise<readonly Intent[]>;
  /** Whether an original of one of these operations that may have done something was in progress at `sinceMs`, or later. */
  mayHaveActed(calls: CallsSince): Promise<boolean>;
  /** The step, or the same step under its `once` key, was or may have been paid. An answer taken from another flow counts. */
  mayBePaid(step: StepOfFlow): Promise<boolean>;
  /** The original row that this pending work belongs to, with the case it waits for; `getRequest` rows have no work of their own. */
  requested(
    account: string,
    requestId: string,
  ): Promise<{ readonly intent: Intent; readonly cnj?: string } | undefined>;
  /** The stored answer of an intent, following `joined`, and when the call that got it was opened. */
  answerBytes(
    intentId: string,
  ): Promise<{ readonly bytes: Buffer; readonly sha256: string; readonly openedAtMs: number } | undefined>;
  /** Marks the original and every row that joined it, so that the next poll of any flow has the proof. */
  markRunningSeen(intentId: string): Promise<void>;
}

const DEFAULT_LIMIT = 1_000;
const ABOUT_AT_MOST = 50;

export function findIntent(db: Database, intentId: string): Promise<Intent | undefined> {
  return findOne(db, { intent_id: intentId });
}

export function findAtStep(
  db: Database,
  { workflowId, firstRunId, step, ordinal }: StepKey,
): Promise<Intent | undefined> {
  return findOne(db, { workflow_id: workflowId, first_run_id: firstRunId, step, ordinal });
}

async function findOne(db: Database, filter: Partial<Selectable<IntentTable>>): Promise<Intent | undefined> {
  const row = await seek((table) => rowsWhere(db, filter, table).executeTakeFirst());
  return row === undefined ? undefined : readIntent(row);
}

/** See `IntentReads.requested`. */
async function findRequested(db: Database, account: string, requestId: string): ReturnType<IntentReads['requested']> {
  const row = await seek((table) =>
    rowsWhere(db, { request_id: requestId, account }, table)
      .where('joined', 'is', null)
      .where('operation', '<>', 'getRequest')
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst(),
  );
  return row === undefined ? undefined : { intent: readIntent(row), ...present({ cnj: cnjOfKeys(row.waiter_keys) }) };
}

/** The first has the rows that may still change; the second has the archive too. */
export type LedgerTable = 'tramita.intent' | 'tramita.intent_all';

/** Rows only ever move into the archive, so a row that neither look finds, in this order, does not exist. */
async function seek<T>(look: (table: LedgerTable) => Promise<T | undefined>): Promise<T | undefined> {
  return (await look('tramita.intent')) ?? look('tramita.intent_all');
}

function rowsWhere(db: Database, filter: Partial<Selectable<IntentTable>>, table: LedgerTable) {
  return db
    .selectFrom(`${table} as intent`)
    .selectAll()
    .where((where) => where.and(filter));
}

/** Bytes of a row `body` of `answer_body`: its own column, or its row in the monthly table `answer_bytes`. */
const BYTES = sql<Buffer | null>`coalesce(body.bytes, (
  select bytes from tramita.answer_bytes as stored where stored.stored_at = body.stored_at and stored.sha256 = body.sha256))`;

type Terms = Pick<LedgerDependencies, 'db' | 'token' | 'catalogue' | 'gaps'>;

export function createReads({ db, ...terms }: Terms): IntentReads {
  const newest = async (filter: Partial<Selectable<IntentTable>>, limit: number): Promise<readonly Intent[]> => {
    // The archive has only settled rows.
    const table =
      filter.state === undefined || isFinal(filter.state as IntentState) ? 'tramita.intent_all' : 'tramita.intent';
    const rows = await rowsWhere(db, filter, table).orderBy('seq', 'desc').limit(limit).execute();
    return rows.map(readIntent);
  };
  return {
    find: (intentId) => findIntent(db, intentId),
    list: ({ account, workflowId, firstRunId, state, operation, limit = DEFAULT_LIMIT }) =>
      newest(present({ account, workflow_id: workflowId, first_run_id: firstRunId, state, operation }), limit),
    about: async ({ account, operation, ...call }) => {
      const filter = { account, operation, subject: subjectToken(terms, { operation, ...call }) };
      const originals = rowsWhere(db, filter, 'tramita.intent_all').where('joined', 'is', null);
      return (await originals.orderBy('seq', 'desc').limit(ABOUT_AT_MOST).execute()).map(readIntent);
    },
    mayHaveActed: async ({ account, operations, sinceMs, except, exceptDone }) => {
      const { rows } = await sql`
        select from tramita.intent_all
        where account = ${account} and operation = any(${[...operations]}::text[]) and joined is null
          and state not in ('rejected', 'not_sent') and coalesce(settled_at, 'infinity') >= ${instant(sinceMs)}
          and intent_id <> ${except}::uuid and not (state = 'done' and intent_id = any(${[...exceptDone]}::uuid[]))
        limit 1`.execute(db);
      return rows.length > 0;
    },
    mayBePaid: async ({ account, workflowType, step, once, run }) => {
      const isPaid = async (filter: Partial<Selectable<IntentTable>>, onces?: readonly string[]): Promise<boolean> => {
        const row = await seek((table) => {
          const rows = rowsWhere(db, { ...filter, step }, table).where('state', 'in', [...MAY_BE_PAID]);
          return (onces === undefined ? rows : rows.where('once', 'in', onces)).limit(1).executeTakeFirst();
        });
        return row !== undefined;
      };
      return (
        (run !== undefined && (await isPaid({ workflow_id: run.workflowId, first_run_id: run.firstRunId }))) ||
        (once !== undefined &&
          (await isPaid({ account, workflow_type: workflowType }, spellingsOfKey(terms.token, once))))
      );
    },
    requested: (account, requestId) => findRequested(db, account, requestId),
    answerBytes: (intentId) =>
      seek((table) =>
        db
          .selectFrom(`${table} as asked`)
          .innerJoin(`${table} as root`, (join) =>
            join.on('root.intent_id', '=', sql<string>`coalesce(asked.joined, asked.intent_id)`),
          )
          .innerJoin('tramita.answer_body as body', 'body.sha256', 'root.body_sha256')
          .select(['body.sha256', sql<Buffer>`${BYTES}`.as('bytes'), sql<number>`root.opened_at`.as('openedAtMs')])
          .where('asked.intent_id', '=', intentId)
          .where(sql<boolean>`${BYTES} is not null`)
          .executeTakeFirst(),
      ),
    markRunningSeen: async (intentId) => {
      await sql`
        update tramita.intent set running_seen = true
        from (select coalesce(joined, intent_id) as id from tramita.intent where intent_id = ${intentId}::uuid) as root
        where (intent.intent_id = root.id or intent.joined = root.id) and not intent.running_seen`.execute(db);
    },
  };
}
