/** Does the user own what it has to make and drop? Rights on rows are enough for calls, but months are tables. */
import { sql } from 'kysely';
import type { Database } from './connect.js';

/** A message that names the cure; undefined where all is well. */
export async function ownerProblem(db: Database): Promise<string | undefined> {
  const { rows } = await sql<{ owner: string; user: string }>`
    select pg_get_userbyid(parent.relowner) as owner, current_user as user
    from pg_class parent
    where parent.relnamespace = 'tramita'::regnamespace and parent.relkind = 'p'
      and not (pg_has_role(parent.relowner, 'usage') and has_schema_privilege('tramita', 'create'))
    limit 1`.execute(db);
  const [found] = rows;
  return found === undefined
    ? undefined
    : `the user ${found.user} of TRAMITA_DATABASE_URL does not own the tables of tramita, ${found.owner} does: months are neither made nor dropped, so what is older than the retention stays; give the worker the URL of the owner`;
}
