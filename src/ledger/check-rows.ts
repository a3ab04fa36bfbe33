/**
 * Checks every row of the ledger and its archive, by sequence number. Short statements read one snapshot, so rows and running
 * sums are of one instant although calls go on. Reads only.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../store/index.js';
import { ANSWER_DROPPED } from './answer-dropped.js';
import { FREE_READ } from './states.js';

export interface RowFindings {
  /** Rows that joined a row which is missing, or which itself joined another one. */
  readonly lostOriginals: readonly string[];
  /** Answers that were paid for and are not stored. */
  readonly lostBodies: readonly string[];
  /** Number of paid answers that retention or an erasure deleted on purpose. They do not count as lost. */
  readonly droppedBodies: number;
  /** Running sums (caps, metrics) that differ from the rows, each as a description. */
  readonly wrongSums: readonly string[];
}

/** Most ids in one list of findings. */
export const MOST_IDS = 100;
const BATCH = 10_000;

/** `account`: null for a shared budget, which belongs to no account. */
type Sum = readonly [account: string | null, what: string, sums: readonly number[]];

interface Page {
  /** Last sequence number of the page; null: no rows are left. */
  readonly until: number | null;
  readonly found: readonly (readonly [account: string, what: 'lostOriginals' | 'lostBodies', intentId: string])[];
  readonly dropped: readonly (readonly [account: string, count: number])[];
  readonly sums: readonly Sum[];
}

/** Returns the findings by account. Those about a shared budget are reported for each account. */
export function checkRows(db: Database, accounts: readonly string[]): Promise<(account: string) => RowFindings> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const found: Page['found'][number][] = [];
      const dropped = new Map<string, number>();
      const stored = await sql<{ readonly sums: readonly Sum[] }>`select ${asJson(STORED_SUMS)} as sums`.execute(trx);
      const differences = new Map<string, readonly number[]>();
      for (const sum of stored.rows[0]?.sums ?? []) addSums(differences, sum, -1);
      for (let after: number | null = 0; after !== null;) {
        const page: Page | undefined = (await readPage(trx, { after, accounts })).rows[0];
        for (const sum of page?.sums ?? []) addSums(differences, sum, 1);
        found.push(...(page?.found ?? []));
        for (const [account, count] of page?.dropped ?? []) dropped.set(account, (dropped.get(account) ?? 0) + count);
        after = page?.until ?? null;
      }
      const wrong = [...differences].filter(([, sums]) => sums.some((value) => value !== 0));
      const keys = wrong.map(([key]) => JSON.parse(key) as [string | null, string]);
      return (account) => {
        const ids = (what: string): readonly string[] =>
          found.flatMap(([of, kind, id]) => (of === account && kind === what ? [id] : [])).slice(0, MOST_IDS);
        return {
          lostOriginals: ids('lostOriginals'),
          lostBodies: ids('lostBodies'),
          droppedBodies: dropped.get(account) ?? 0,
          wrongSums: keys.flatMap(([of, what]) => (of === null || of === account ? [what] : [])).slice(0, MOST_IDS),
        };
      };
    });
}

function addSums(to: Map<string, readonly number[]>, [account, what, sums]: Sum, sign: 1 | -1): void {
  const key = JSON.stringify([account, what]);
  const known = to.get(key);
  to.set(
    key,
    sums.map((value, place) => (known?.[place] ?? 0) + sign * value),
  );
}

function asJson(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select coalesce(jsonb_agg(jsonb_build_array(account, what, sums)), '[]') from (${rows}) as listed (account, what, sums))`;
}

function readPage(trx: Database, page: { after: number; accounts: readonly string[] }) {
  return sql<Page>`
    with page as materialized (
      select * from tramita.intent_all where seq > ${page.after} order by seq limit ${BATCH})
    select (select max(seq) from page) as until, ${asJson(ROW_SUMS)} as sums, (
      select coalesce(jsonb_agg(jsonb_build_array(account, what, intent_id)), '[]') from (${LOST}) as lost
      where account = any(${[...page.accounts]}::text[])) as found, (
      select coalesce(jsonb_agg(jsonb_build_array(account, count)), '[]') from (
        select account, count(*) as count from page where joined is null and ${ANSWER_DROPPED} group by account) as gone) as dropped`.execute(
    trx,
  );
}

/**
 * A refresh that ended without a stored answer: `ledger reconcile` took its end from a history, or its 202 was cut off and the
 * status of its case showed the end. (A row with an answer has the HTTP status of that answer.)
 */
const ENDED_WITHOUT_ANSWER = sql`(coalesce(evidence ->> 'proof', '') = 'history' or http_status = 202 and body_sha256 is null)`;

const LOST = sql`
  select account, 'lostOriginals' as what, intent_id from page
  where joined is not null and not exists (
    select from tramita.intent_all as root where root.intent_id = page.joined and root.joined is null)
  union all
  select account, 'lostBodies', intent_id from page
  where state = 'done' and joined is null and http_status between 200 and 299 and not ${FREE_READ}
    and evidence -> 'file' is null and not ${ANSWER_DROPPED} and not ${ENDED_WITHOUT_ANSWER} and not exists (
      select from tramita.answer_body as body where body.sha256 = page.body_sha256 and (body.bytes is not null or exists (
        select from tramita.answer_bytes as stored where stored.stored_at = body.stored_at and stored.sha256 = body.sha256)))`;

const SOURCES = ['told', 'listed', 'evidence'] as const;

const BY_SOURCE = sql.join(
  SOURCES.map((source) => {
    const own = sql`filter (where charged > 0 and coalesce(amount_source, 'told') = ${sql.lit(source)})`;
    return sql`coalesce(sum(charged) ${own}, 0), count(*) ${own}`;
  }),
);

/** The same three lists of sums, computed from the rows and as stored. */
const ROW_SUMS = sql`
  select account, 'day ' || (opened_at at time zone 'America/Sao_Paulo')::date || ', ' || operation,
    jsonb_build_array(sum(tramita.spent(state, charged, reserved)), ${BY_SOURCE})
  from page where joined is null group by 1, 2
  union all
  select account, 'reserved, ' || operation, jsonb_build_array(sum(reserved), count(*) filter (where reserved > 0),
    sum(tramita.held(state, charged, reserved)), count(*) filter (where state = 'pending'))
  from page where joined is null and (reserved > 0 or state = 'pending') group by 1, 2
  union all
  select null, 'budget ' || budget_key, jsonb_build_array(sum(tramita.spent(state, charged, reserved)))
  from page where joined is null and budget_key is not null group by 1, 2`;

const STORED_SUMS = sql`
  select account, 'day ' || day || ', ' || operation, jsonb_build_array(sum(spent), sum(told), sum(told_calls), sum(listed),
    sum(listed_calls), sum(evidence), sum(evidence_calls))
  from tramita.spend_day group by 1, 2
  union all
  select account, 'reserved, ' || operation, jsonb_build_array(sum(reserved), sum(reserved_calls), sum(held), sum(pending))
  from tramita.spend_live group by 1, 2
  union all
  select null, 'budget ' || budget_key, jsonb_build_array(sum(spent)) from tramita.spend_budget group by 1, 2`;
