/** When a page was staged: by it, sets of abandoned imports are told from those under way. Never edited once released. */
import type { Migration } from './migration.js';

export const abandonedSetsMigration: Migration = {
  name: '0016-abandoned-sets',
  sql: `
alter table tramita.lawyer_page add column staged_at timestamptz not null default now();
create index lawyer_page_staged on tramita.lawyer_page (staged_at);
`,
};
