/** Does the user own the tables that it has to create and drop? Calls need rights on rows only, but each month is a table. */
import { sql } from 'kysely';
import type { Database } from './connect.js';

/** A message that names the cure; undefined where all is well. */
export async function ownerProblem(db: Database): Promise<string | undefined> {
  const { rows } = await sql<{ owner: string; user: string; isOwner: boolean }>`
    select pg_get_userbyid(parent.relowner) as owner, current_user as user,
      pg_has_role(parent.relowner, 'usage') as "isOwner"
    from pg_class parent
    where parent.relnamespace = 'tramita'::regnamespace and parent.relkind = 'p'
      and not (pg_has_role(parent.relowner, 'usage') and has_schema_privilege('tramita', 'create'))
    limit 1`.execute(db);
  const [found] = rows;
  if (found === undefined) return undefined;
  const who = `the user ${found.user} of TRAMITA_DATABASE_URL`;
  if (found.isOwner)
    return `${who} may not create tables, so the tables of coming months are not created: grant create on schema tramita to it`;
  return `${who} does not own the tables of tramita, ${found.owner} does: monthly tables are neither created nor dropped, so data older than its retention stays; give the worker the URL of the owner`;
}
