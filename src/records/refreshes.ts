/** The last refresh of each case that has ended: documents are read only after one. */
import { writeTogether, type Database } from '../store/index.js';
import type { CaseRefresh, Records } from './types.js';

export function createRefreshes(db: Database): Pick<Records, 'saveRefresh' | 'writeOfRefresh' | 'findRefresh'> {
  const writeOfRefresh: Records['writeOfRefresh'] = (refresh) => {
    const { account, cnj, state, rawStatus, withDocuments, intentId, finishedAtMs } = refresh;
    const ids = { raw_status: rawStatus, with_documents: withDocuments, intent_id: intentId };
    const facts = { state, ...ids, finished_at: new Date(finishedAtMs) };
    return db
      .insertInto('tramita.case_refresh')
      .values({ account, cnj, ...facts })
      .onConflict((conflict) =>
        conflict
          .columns(['account', 'cnj'])
          .doUpdateSet(facts)
          .whereRef('tramita.case_refresh.finished_at', '<=', 'excluded.finished_at'),
      );
  };
  return {
    writeOfRefresh,
    saveRefresh: async (refresh) => {
      await writeTogether(db, [writeOfRefresh(refresh)]);
    },
    findRefresh: (account, cnj) =>
      db
        .selectFrom('tramita.case_refresh')
        .select((row) => [
          'account',
          'cnj',
          row.ref('state').$castTo<CaseRefresh['state']>().as('state'),
          'raw_status as rawStatus',
          'with_documents as withDocuments',
          'intent_id as intentId',
          'finished_at as finishedAtMs',
        ])
        .where('account', '=', account)
        .where('cnj', '=', cnj)
        .executeTakeFirst(),
  };
}
