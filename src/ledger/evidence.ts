/** What the ledger knows for free evidence: whether an account was quiet, and what it was charged since a reading. It judges nothing. */
import { sql } from 'kysely';
import { ZERO_AMOUNT, type Amount } from '../contract/index.js';
import { instant, type Database } from '../store/index.js';
import { changeIntent } from './change-intent.js';
import { decisionOf, followRoot } from './states.js';
import type { BalanceReading, EvidenceClosing, Intent, QuietState } from './types.js';
import { writeChange } from './write-change.js';

/** Sequences are given before rows are committed: a row of a slow transaction appears below the newest one. */
const STRAGGLERS_WITHIN = 1_000;

export async function quietState(db: Database, account: string, except: string | undefined): Promise<QuietState> {
  const { rows } = await sql<QuietState>`
    with newest as (
      select coalesce((select seq from tramita.intent where account = ${account} order by seq desc limit 1), 0) as seq)
    select newest.seq::bigint as seq,
      (select count(*)::int from tramita.intent
        where account = ${account} and reserved > 0 and joined is null and state in ('open', 'unknown', 'pending')
          and intent_id is distinct from ${except ?? null}::uuid) as busy,
      (select count(*)::int from tramita.intent
        where account = ${account} and intent.seq > newest.seq - ${STRAGGLERS_WITHIN}::bigint) as "recentRows",
      pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "endedBelow",
      pg_current_xact_id()::text::bigint as "begunBelow"
    from newest`.execute(db);
  return rows[0] as QuietState;
}

/** The newest quiet reading, or the newest from before `beforeIntent` was written. */
export async function openingBalance(
  db: Database,
  account: string,
  beforeIntent: string | undefined,
): Promise<BalanceReading | undefined> {
  const { rows } = await sql<BalanceReading>`
    select amount, seq, taken_at as "takenAtMs" from tramita.balance_reading
    where account = ${account} and (${beforeIntent ?? null}::uuid is null
      or seq < (select seq from tramita.intent where intent_id = ${beforeIntent ?? null}::uuid))
    order by seq desc limit 1`.execute(db);
  return rows[0];
}

export async function noteBalance(
  db: Database,
  account: string,
  reading: { readonly amount: Amount; readonly seq: number; readonly nowMs: number },
): Promise<void> {
  await sql`
    insert into tramita.balance_reading (account, seq, amount, taken_at)
    values (${account}, ${reading.seq}, ${reading.amount}, ${instant(reading.nowMs)})
    on conflict (account, seq) do update set amount = excluded.amount, taken_at = excluded.taken_at`.execute(db);
}

/** Null when one of the rows since then did not tell, or may still change. */
export async function chargedSince(
  db: Database,
  account: string,
  { sinceSeq, except }: { readonly sinceSeq: number; readonly except: string },
): Promise<Amount | null> {
  const { rows } = await sql<{ readonly charged: Amount; readonly silent: number }>`
    select coalesce(sum(charged), 0)::bigint as charged,
      count(*) filter (where state in ('open', 'unknown', 'pending')
        or (charged is null and (state in ('done', 'charged_lost') or (state = 'closed' and reserved > 0)))
        -- Accepted and charged, then refused: nobody says whether the charge was given back.
        or (state = 'rejected' and request_id is not null and charged > 0)
        -- Booked by the price list: nobody has seen the charge itself.
        or amount_source = 'listed'
        -- Booked after its charge: the opening reading may contain it already.
        or step like 'free/%')::int as silent
    from tramita.intent
    where account = ${account} and seq > ${sinceSeq} and joined is null and intent_id <> ${except}::uuid
      and not (reserved = 0 and charged is null)`.execute(db);
  const [row] = rows;
  return row === undefined || row.silent > 0 ? null : row.charged;
}

/**
 * Closes a row that evidence has proven to be repeatable, unknown or (a free call) with a lost answer; a row that moved
 * meanwhile stays as it is.
 */
export function closeByEvidence(
  db: Database,
  intentId: string,
  { proof, keepsReserve, nowMs }: EvidenceClosing & { readonly nowMs: number },
): Promise<{ readonly intent: Intent; readonly wake: readonly string[] }> {
  return changeIntent(db, { intentId, extraNames: [] }, async (trx, { asked, root }) => {
    const { state } = root.intent;
    const undecided = state === 'unknown' || (state === 'charged_lost' && decisionOf(root.intent) === undefined);
    if (!undecided) return { intent: asked.intent, wake: [] };
    const after: Intent = {
      ...root.intent,
      state: 'closed',
      reserved: keepsReserve ? root.intent.reserved : ZERO_AMOUNT,
      settledAtMs: nowMs,
      evidence: {
        ...root.intent.evidence,
        ...proof,
        decision: keepsReserve ? 'repeat' : 'not-charged',
        by: 'tramita (evidence)',
        at: new Date(nowMs).toISOString(),
      },
    };
    const { wake } = await writeChange(trx, { before: root, after, balanceTold: false, nowMs });
    return { intent: asked === root ? after : followRoot(asked.intent, after), wake };
  });
}
