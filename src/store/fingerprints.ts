/**
 * Keyed fingerprints of the settings that this database was written with: the id key, each account's base URL and API key, and
 * the payload keys. The first worker writes them; a program with another id key or base URL must not start
 * (docs/decisions/0021). An API key may change; the time of the change is stored. `src/config/fingerprints.ts` computes the
 * values; the secrets themselves are not stored.
 */
import { sql } from 'kysely';
import type { Database } from './connect.js';
import { instant } from './sql-parts.js';
import type { FingerprintTable } from './tables.js';

export interface Fingerprint {
  readonly subject: FingerprintTable['subject'];
  /** Empty for the id key; for a payload key its id. */
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

/** Subjects and accounts without the values: all that the bridge may read. */
export async function readFingerprintNames(db: Database): Promise<readonly Omit<Fingerprint, 'value'>[]> {
  return db.selectFrom('tramita.fingerprint').select(['subject', 'account']).execute();
}

/** Fingerprints that differ and must not; an API key may. If the id key differs, it is the only one listed: all values are made with it. */
export async function findMismatches(db: Database, given: readonly Fingerprint[]): Promise<readonly Mismatch[]> {
  const kept = await readFingerprints(db);
  const mismatches = given.flatMap((fingerprint): Mismatch[] => {
    const { subject, account, value } = fingerprint;
    const before = kept.find((one) => one.subject === subject && one.account === account);
    const mayDiffer = before === undefined || subject === 'api key';
    return mayDiffer || before.value === value ? [] : [{ given: fingerprint, kept: before }];
  });
  const idKey = mismatches.filter((mismatch) => mismatch.given.subject === 'id key');
  return idKey.length > 0 ? idKey : mismatches;
}

/** Writes missing fingerprints and changed API keys. Returns what differs and must not; then it writes no more. */
export async function keepFingerprints(
  db: Database,
  { given, nowMs }: { readonly given: readonly Fingerprint[]; readonly nowMs: number },
): Promise<readonly Mismatch[]> {
  // The id key first: all other values are made with it.
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

/** Forgets a payload key that a person declares lost for good. False if it is not stored. */
export async function forgetPayloadKey(db: Database, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from tramita.fingerprint where subject = 'payload key' and account = ${id}`.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}

/** Stores the account's new base URL, which a person has confirmed. */
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
