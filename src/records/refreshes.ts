/** The last refresh of each case that has ended: documents are read only after one. */
import type { Database } from '../store/index.js';
import type { CaseRefresh } from './types.js';

export async function saveRefresh(db: Database, refresh: CaseRefresh): Promise<void> {
  const facts = {
    state: refresh.state,
    raw_status: refresh.rawStatus,
    with_documents: refresh.withDocuments,
    intent_id: refresh.intentId,
    finished_at: new Date(refresh.finishedAtMs),
  };
  await db
    .insertInto('tramita.case_refresh')
    .values({ account: refresh.account, cnj: refresh.cnj, ...facts })
    .onConflict((conflict) =>
      conflict
        .columns(['account', 'cnj'])
        .doUpdateSet(facts)
        .whereRef('tramita.case_refresh.finished_at', '<=', 'excluded.finished_at'),
    )
    .execute();
}

export async function findRefresh(db: Database, account: string, cnj: string): Promise<CaseRefresh | undefined> {
  const row = await db
    .selectFrom('tramita.case_refresh')
    .selectAll()
    .where('account', '=', account)
    .where('cnj', '=', cnj)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    account: row.account,
    cnj: row.cnj,
    state: row.state as CaseRefresh['state'],
    rawStatus: row.raw_status,
    withDocuments: row.with_documents,
    intentId: row.intent_id,
    finishedAtMs: row.finished_at,
  };
}
