/** Notices over one database. */
import type { Database } from '../../store/index.js';
import { readToday, readWatermarks, saveText, withoutText } from './read-notices.js';
import { saveNotices } from './save-notices.js';
import type { Notices } from './types.js';

export type { Notices } from './types.js';

export function createNotices({ db }: { readonly db: Database }): Notices {
  return {
    save: (page) => saveNotices(db, page),
    watermarks: (account, oabs) => readWatermarks(db, account, oabs),
    today: (nowMs) => readToday(db, nowMs),
    withoutText: (account, oabs, limit) => withoutText(db, { account, oabs, limit }),
    saveText: (text) => saveText(db, text),
  };
}
