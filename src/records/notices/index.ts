/** Notices over one database. */
import type { TokenOf } from '../../contract/values/index.js';
import type { Database } from '../../store/index.js';
import { createNoticeReads } from './read-notices.js';
import { saveNotices } from './save-notices.js';
import type { Notices } from './types.js';

export type { Notices } from './types.js';

export function createNotices({ db, token }: { readonly db: Database; readonly token: TokenOf }): Notices {
  return { save: (page) => saveNotices(db, page), ...createNoticeReads(db, token) };
}
