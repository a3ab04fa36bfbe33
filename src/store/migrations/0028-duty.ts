/** Work that one program does for all, in turns (leases), and its result. */
import type { Migration } from './migration.js';

export const dutyMigration: Migration = {
  name: '0028-duty',
  sql: `
create table tramita.duty (
  name text primary key,
  -- Until then it is somebody's turn; nobody else begins.
  taken_until timestamptz not null,
  -- What the last turn found, for all that need it; null where the work itself is all.
  found jsonb,
  found_at timestamptz
);
`,
};
