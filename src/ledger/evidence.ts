/** Facts for free evidence: whether an account was quiet, and what it was charged since a balance reading. Decides nothing. */
import { sql } from 'kysely';
import type { Amount } from '../contract/index.js';
import { instant } from '../store/index.js';
import type { LedgerDependencies } from './settings.js';
import { FREE_READ, MAY_MOVE } from './states.js';

/** Activity of an account at one moment. Two of them show whether anything happened in between. */
export interface QuietState {
  /** Sequence number of its newest row; 0 if there is none. */
  readonly seq: number;
  /** None of its rows has a number above `seq` and up to this one. A later row gets a higher number. */
  readonly clearTo: number;
  /** Rows whose charge may still move. */
  readonly busy: number;
  /** How many of its rows are among the newest sequence numbers. */
  readonly recentRows: number;
  /** Every transaction of the database with a number below this one had ended. */
  readonly endedBelow: number;
  /** The transaction number of this very read: every transaction that had begun to write has a lower one. */
  readonly begunBelow: number;
}

/** A balance that was read while nothing of the account was under way, with `seq` and `clearTo` of that moment. */
export interface NewReading extends Pick<QuietState, 'seq' | 'clearTo'> {
  readonly amount: Amount;
}

export interface BalanceReading extends NewReading {
  readonly takenAtMs: number;
}

export interface AccountEvidence {
  /** Reads the activity of the account, without the intent `except`. */
  quiet(account: string, except?: string): Promise<QuietState>;
  /** Newest balance that was read while the account was quiet; with `beforeIntent`, the newest one read before that row. */
  openingBalance(account: string, beforeIntent?: string): Promise<BalanceReading | undefined>;
  noteBalance(account: string, reading: NewReading): Promise<void>;
  /**
   * Sum of the charges of all rows after `sinceSeq`, without `except`; null if one of them is not known or may still change. Since
   * a reading: from its `clearTo` on, so that the rows of other accounts before that are not read.
   */
  chargedSince(account: string, range: { readonly sinceSeq: number; readonly except: string }): Promise<Amount | null>;
}

/** SQL condition: accepted, then refused. It is unknown whether it was charged, and whether the charge was given back. */
const REFUSED_IN_THE_END = sql<boolean>`(state = 'rejected' and request_id is not null and charged is distinct from 0)`;

/** Sequence numbers are drawn before rows are committed, so a row of a slow transaction may appear this far below the newest. */
const STRAGGLERS_WITHIN = 1_000;

export function createEvidence({ db, clock }: Pick<LedgerDependencies, 'db' | 'clock'>): AccountEvidence {
  return {
    quiet: async (account, except) => {
      // No index has the rows of an account by their order: only rows after the last reading are searched, and once (materialized).
      const { rows } = await sql<QuietState>`
        with last as (
          select seq, coalesce(clear_to, seq) as clear_to from tramita.balance_reading
          where account = ${account} order by seq desc limit 1
        ), newest as materialized (
          select coalesce(
            (select seq from tramita.intent
              where account = ${account} and seq > coalesce((select clear_to from last), 0) order by seq desc limit 1),
            (select seq from last), 0) as seq)
        select newest.seq::bigint as seq,
          greatest(newest.seq, (select max(seq) from tramita.intent) - ${STRAGGLERS_WITHIN}::bigint)::bigint as "clearTo",
          (select count(*)::int from tramita.intent
            where account = ${account} and reserved > 0 and joined is null and ${MAY_MOVE}
              and intent_id is distinct from ${except ?? null}::uuid) as busy,
          (select count(*)::int from (
            -- Behind \`offset 0\`, the account chooses no index: it would read all rows of the account.
            select account from tramita.intent
            where seq > newest.seq - ${STRAGGLERS_WITHIN}::bigint and seq <= newest.seq offset 0
          ) as near where account = ${account}) as "recentRows",
          pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "endedBelow",
          pg_current_xact_id()::text::bigint as "begunBelow"
        from newest`.execute(db);
      return rows[0] as QuietState;
    },
    openingBalance: async (account, before) => {
      const beforeIntent = before ?? null;
      const { rows } = await sql<BalanceReading>`
        select amount, seq, coalesce(clear_to, seq) as "clearTo", taken_at as "takenAtMs" from tramita.balance_reading
        where account = ${account} and (${beforeIntent}::uuid is null
          or seq < (select seq from tramita.intent where intent_id = ${beforeIntent}::uuid))
        order by seq desc limit 1`.execute(db);
      return rows[0];
    },
    noteBalance: async (account, { amount, seq, clearTo }) => {
      await sql`
        insert into tramita.balance_reading as known (account, seq, clear_to, amount, taken_at)
        values (${account}, ${seq}, ${clearTo}, ${amount}, ${instant(clock())})
        on conflict (account, seq) do update set amount = excluded.amount, taken_at = excluded.taken_at,
          clear_to = greatest(known.clear_to, excluded.clear_to)`.execute(db);
    },
    chargedSince: async (account, { sinceSeq, except }) => {
      const { rows } = await sql<{ readonly charged: Amount; readonly silent: number }>`
        select coalesce(sum(charged), 0)::bigint as charged,
          count(*) filter (where ${MAY_MOVE}
            or (charged is null and (state in ('done', 'charged_lost') or (state = 'closed' and reserved > 0)))
            or ${REFUSED_IN_THE_END}
            -- Booked by the price list: the charge itself was not seen.
            or amount_source = 'listed'
            -- Booked, or written again, after its charge: the opening reading may contain it already.
            or ${FREE_READ} or coalesce(evidence ? 'lost', false))::int
          -- What is in the archive is not read for it.
          + (select count(*)::int from (select from tramita.intent_archive
              where account = ${account} and seq > ${sinceSeq} limit 1) as archived) as silent
        from tramita.intent
        where account = ${account} and seq > ${sinceSeq} and joined is null and intent_id <> ${except}::uuid
          and (reserved > 0 or charged is not null or ${REFUSED_IN_THE_END})`.execute(db);
      const [row] = rows;
      return row === undefined || row.silent > 0 ? null : row.charged;
    },
  };
}
