/**
 * What this database has been written with: keyed fingerprints of the id key, of each account's base URL and API key, and of
 * the keys of payloads. The first worker writes them; a program with another id key or base URL must not start
 * (docs/decisions/0021). An API key may change: since when is noted. The values are made in `src/config/fingerprints.ts`; the
 * secrets themselves are not kept.
 */
import { sql } from 'kysely';
import type { Database } from './connect.js';
import { instant } from './sql-parts.js';

export interface Fingerprint {
  readonly subject: 'id key' | 'base url' | 'api key' | 'payload key';
  /** Empty for the id key; of a payload key its id. */
  readonly account: string;
  readonly value: string;
}

export interface KeptFingerprint extends Fingerprint {
  /** Epoch ms. */
  readonly sinceMs: number;
  readonly setBy: string | null;
}

export interface Mismatch {
  readonly given: Fingerprint;
  readonly kept: KeptFingerprint;
}

export async function readFingerprints(db: Database): Promise<readonly KeptFingerprint[]> {
  return db
    .selectFrom('tramita.fingerprint')
    .select(['subject', 'account', 'value', 'since as sinceMs', 'set_by as setBy'])
    .orderBy('subject')
    .orderBy('account')
    .execute();
}

/** What they are about alone: all that the bridge may see. */
export async function readFingerprintNames(db: Database): Promise<readonly Omit<Fingerprint, 'value'>[]> {
  return db.selectFrom('tramita.fingerprint').select(['subject', 'account']).execute();
}

/** What differs from what is kept and must not. Where the id key differs, so does all that is made with it: then it is listed alone. */
export async function findMismatches(db: Database, given: readonly Fingerprint[]): Promise<readonly Mismatch[]> {
  const kept = await readFingerprints(db);
  const found = given.flatMap((one): Mismatch[] => {
    const same = kept.find(({ subject, account }) => subject === one.subject && account === one.account);
    return same === undefined || same.value === one.value || one.subject === 'api key'
      ? []
      : [{ given: one, kept: same }];
  });
  const idKey = found.filter((mismatch) => mismatch.given.subject === 'id key');
  return idKey.length > 0 ? idKey : found;
}

/** Writes what is missing and notes a changed API key, unless something differs: that is returned, and nothing of it written. */
export async function keepFingerprints(
  db: Database,
  { given, nowMs }: { readonly given: readonly Fingerprint[]; readonly nowMs: number },
): Promise<readonly Mismatch[]> {
  // The id key first: with another one, every other value would be another one too.
  for (const subject of ['id key', 'base url', 'api key', 'payload key'] as const) {
    const wrong = await findMismatches(db, given);
    if (wrong.length > 0) return wrong;
    for (const { account, value } of given.filter((one) => one.subject === subject)) {
      await sql`
        insert into tramita.fingerprint as kept (subject, account, value, since)
        values (${subject}, ${account}, ${value}, ${instant(nowMs)})
        on conflict (subject, account) do update set value = excluded.value, since = excluded.since
        where kept.subject = 'api key' and kept.value <> excluded.value`.execute(db);
    }
  }
  return findMismatches(db, given);
}

/** A person says that a payload key is gone for good. False: it is not known. */
export async function forgetPayloadKey(db: Database, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from tramita.fingerprint where subject = 'payload key' and account = ${id}`.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}

/** A person says that the account's service has another address now. */
export async function moveBaseUrl(
  db: Database,
  move: { readonly account: string; readonly value: string; readonly by: string; readonly nowMs: number },
): Promise<void> {
  const { account, value, by, nowMs } = move;
  await sql`
    insert into tramita.fingerprint as kept (subject, account, value, since, set_by)
    values ('base url', ${account}, ${value}, ${instant(nowMs)}, ${by})
    on conflict (subject, account) do update
    set value = excluded.value, since = excluded.since, set_by = excluded.set_by
    where kept.value <> excluded.value`.execute(db);
}
