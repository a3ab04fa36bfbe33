/** Is a case under secrecy of justice, as any account has seen it? */
import { sql } from 'kysely';
import type { Database } from '../store/index.js';

/** `cnj`: twenty digits. */
export async function isSealedCase(db: Database, cnj: string): Promise<boolean> {
  const { rows } = await sql`select from tramita.sealed_case where cnj = ${cnj} limit 1`.execute(db);
  return rows.length > 0;
}
