/**
 * The cost of a statement must not grow with the ledger, its waiters, its events or a round. No plan scans a growing
 * table, and none reads more than a few hundred rows to answer about one.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { createInbox } from '../../src/inbox/index.js';
import {
  archiveIntents,
  checkLedger,
  dropReadings,
  exportIntents,
  listUndecided,
  readFigures,
  type Intent,
  type OpenIntent,
  type QuietState,
} from '../../src/ledger/index.js';
import { createPortfolios } from '../../src/records/index.js';
import type { Database } from '../../src/store/index.js';
import { withDatabase } from '../support/database.js';
import { fillLedger } from '../support/fill-ledger.js';
import {
  amount,
  closeStep,
  intentOf,
  jsonBody,
  lastBalance,
  makeLedger,
  NOON_MS,
  refreshRequest,
  setClock,
} from './support.js';

const DAY_MS = 86_400_000;
const database = withDatabase();
const GROWING = [
  'intent',
  'archived_run',
  'answer_body',
  'waiter',
  'event',
  'event_wake',
  'portfolio_item',
  'case_refresh',
];
/** Months of the archive, of answers and of events. */
const MONTHS = '(intent_archive|answer_bytes|event_bytes)_%';
const ROUND = 20_000;
/** Far above what a statement needs for one row, and far below the size of a table or a day. */
const MOST_ROWS = 1_500;

let db: Database;
/** An account that has been quiet for two years, before any reading of its balance. */
let idle: QuietState;
beforeAll(async () => {
  const filling = database.connect({ max: 1, statementTimeoutMs: 120_000 });
  await fillLedger(filling, {
    intents: 60_000,
    waiters: 60_000,
    events: 200_000,
    today: 20_000,
    round: ROUND,
    nowMs: NOON_MS,
  });
  await sql`
    update tramita.intent set account = 'idle'
    where account = 'default' and once is not null and opened_at < ${new Date(NOON_MS - 800 * DAY_MS)}`.execute(
    filling,
  );
  // The webhooks of a month's waits.
  await sql`
    with waits as (
      select request_id, row_number() over (order by seq) as n from tramita.intent
      where account = 'default' and request_id is not null and settled_at > ${new Date(NOON_MS - 30 * DAY_MS)}
    ), events as (
      select seq, row_number() over (order by seq) as n from tramita.event
      where received_at > ${new Date(NOON_MS - 32 * DAY_MS)}
    )
    update tramita.event set keys = array['request:' || request_id]
    from waits join events using (n) where event.seq = events.seq`.execute(filling);
  // The refreshes of a month.
  await sql`
    insert into tramita.case_refresh (account, cnj, state, with_documents, intent_id, finished_at)
    select 'default', lpad(n::text, 20, '0'), 'done', false, md5('refresh' || n)::uuid,
      ${new Date(NOON_MS)}::timestamptz - n * interval '2 minutes'
    from generate_series(1, 20000) as n`.execute(filling);
  await archiveIntents(filling, { beforeMs: NOON_MS - 400 * DAY_MS, nowMs: NOON_MS });
  // The server does this by itself after a while. Until then an index still has entries of the moved rows.
  await sql`vacuum (analyze) tramita.intent, tramita.case_refresh`.execute(filling);
  idle = await makeLedger(filling).ledger.quiet('idle');
  // Otherwise the server counts the reads of this connection up to ten seconds later, among those of a test.
  await sql`select pg_stat_force_next_flush()`.execute(filling);
}, 240_000);

/** Rows read so far, by index and by table scan. */
async function readsSoFar(): Promise<ReadonlyMap<string, number>> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  await sql`select pg_stat_clear_snapshot()`.execute(db);
  const { rows } = await sql<{ readonly how: string; readonly rows: number }>`
    select 'all of ' || relname as how, seq_tup_read::int as rows
      from pg_stat_user_tables where schemaname = 'tramita' and (relname = any(${GROWING}::text[]) or relname similar to ${MONTHS})
    union all
    select indexrelname, idx_tup_read::int
      from pg_stat_user_indexes where schemaname = 'tramita' and (relname = any(${GROWING}::text[]) or relname similar to ${MONTHS})`.execute(
    db,
  );
  return new Map(rows.map(({ how, rows }) => [how, rows]));
}

/** The reads of `run` that are too many, by index and by table scan. */
async function tooMuchReadBy(run: () => Promise<unknown>, mostRows = MOST_ROWS): Promise<Record<string, number>> {
  const before = await readsSoFar();
  await run();
  const after = [...(await readsSoFar())].map(([how, rows]) => [how, rows - (before.get(how) ?? 0)] as const);
  return Object.fromEntries(after.filter(([how, rows]) => rows > (how.startsWith('all of ') ? 1 : mostRows)));
}

const limits = {
  busy: { maxSpendPerDay: amount(1_000_000_000), maxSpendPerFlow: amount(1_000_000), minBalance: amount(1) },
};
const world = () => {
  const { ledger } = makeLedger(db, { settings: { accounts: limits } });
  return { ledger, inbox: createInbox({ db, clock: setClock().now }), portfolios: createPortfolios({ db }) };
};
const open = (changes: Partial<OpenIntent> = {}) => world().ledger.openIntent(refreshRequest(changes));
const done = { state: 'done', charged: amount(1_000), balanceAfter: amount(5), httpStatus: 200 } as const;

/** What a charged call, a poll and a webhook need: their statements keep their plans. */
const CALLS: Readonly<Record<string, () => Promise<unknown>>> = {
  'an opening': () => open(),
  'an opening that may take an older answer, under a once key': () =>
    open({ maxAgeMs: 86_400_000, once: 'mine', askedAtMs: NOON_MS }),
  'an opening under the caps of an account with a busy day': () => open({ account: 'busy' }),
  'an opening under the budget of a big round': () =>
    open({ budget: { key: 'portfolio/big', limit: amount(1_000_000_000) } }),
  'a settlement as pending, then as done': async () => {
    const { intentId } = intentOf(await open());
    await world().ledger.settle(intentId, { state: 'pending', charged: amount(1_000), requestId: randomUUID() });
    await world().ledger.settle(intentId, { ...done, body: jsonBody({ a: intentId }) });
  },
  'a settlement of a request whose charge has an id in the log of the service': async () => {
    const { ledger } = world();
    for (const isKnown of [true, false]) {
      const { intentId, account } = intentOf(await open());
      await ledger.settle(intentId, { state: 'pending', requestId: randomUUID() });
      const { row } = await ledger.lookForPoll({ intentId, account, read: 'getRefreshStatus' });
      await ledger.settle(intentId, { ...done, searchLogId: randomUUID() }, isKnown ? { row } : {});
    }
  },
  'recording an event': () =>
    world().inbox.record({
      account: 'default',
      eventId: randomUUID(),
      event: 'case.refreshed',
      bodySha256: randomUUID(),
      body: Buffer.from('{}'),
      keys: ['cnj:00000000000000000007'],
    }),
  'a poll': () => world().ledger.lookForPoll({ intentId: randomUUID(), account: 'busy', read: 'getRefreshStatus' }),
  'an opening that reaches far into the archive': () => open({ maxAgeMs: 2_000 * DAY_MS, askedAtMs: 0 }),
};

const LOOKS: typeof CALLS = {
  'closing the step of a lost activity': async () => {
    const request = refreshRequest();
    await world().ledger.openIntent(request);
    await closeStep(world().ledger, request, { deadlineMs: 0 });
  },
  'a sweep': () => world().ledger.sweep(60_000),
  'the rows about a call': () =>
    world().ledger.about({ account: 'default', operation: 'requestRefresh', params: { cnj: '10000015120268260100' } }),
  'the row of a request': () => world().ledger.requested('default', randomUUID()),
  'the newest balance': () => lastBalance(db, 'default'),
  'the check for a quiet account': () => world().ledger.quiet('busy', undefined),
  'the check for an account that has been quiet for long': async () => {
    await world().ledger.noteBalance('idle', { ...idle, amount: amount(1) });
    const { seq, busy, recentRows } = idle;
    expect(await world().ledger.quiet('idle')).toMatchObject({ seq, busy, recentRows });
  },
  'the charges of an account that has been quiet for long': async () => {
    expect(await world().ledger.chargedSince('idle', { sinceSeq: idle.clearTo, except: randomUUID() })).toBe(0);
  },
  'a round over the readings of balances': async () => {
    await sql`insert into tramita.balance_reading (account, seq, amount, taken_at)
      select 'idle', seq, 1, ${new Date(0)} from generate_series(1, 2) as seq on conflict do nothing`.execute(db);
    expect(await dropReadings(db, { nowMs: NOON_MS })).toBeGreaterThan(0);
  },
  'the newest undecided rows': () => world().ledger.list({ state: 'unknown', limit: 50 }),
  'the newest open rows of an account': () => world().ledger.list({ account: 'other', state: 'open', limit: 50 }),
  'undecided charges of an account that has none': () => listUndecided(db, { account: 'busy' }),
  'the figures of the metrics': () => readFigures(db, { accounts: ['default', 'busy'], nowMs: NOON_MS }),
  'a round of the relay': () =>
    world().inbox.takeUnwoken({ limit: 50, olderThanMs: 0 }, (wakes) => Promise.resolve(wakes)),
  'events about a key': () => world().inbox.eventsAbout({ keys: ['cnj:00000000000000000007'], sinceMs: 0, limit: 10 }),
  'events by their ids': () => world().inbox.readFeed({ filter: { ids: ['evt-7', 'none'] }, limit: 10 }),
  'the check for silent webhooks': () => world().inbox.areWebhooksSilent('default'),
  'the end of a flow': () => world().inbox.dropWaiters({ workflowId: 'refresh.default.x', goneAtMs: NOON_MS }),
  'cleaning up': () => world().inbox.forgetOld({}),
  'cleaning up bodies': () => world().inbox.forgetOld({ eventBodiesMs: 4_000 * DAY_MS }),
  'a round of the archive that finds nothing new': () =>
    archiveIntents(db, { beforeMs: NOON_MS - 400 * DAY_MS, nowMs: NOON_MS }),
  'the calls that may have changed a monitor': () => {
    const calls = { account: 'default', operations: ['createNoticeMonitor', 'updateNoticeMonitor'], sinceMs: 0 };
    return world().ledger.mayHaveActed({ ...calls, except: randomUUID(), exceptDone: [] });
  },
  'a row of the archive': () => world().ledger.find('00000000-0000-4000-8000-000000000007'),
  'the next cases of a round': () => world().portfolios.items('big', 'waiting', 50),
  'changing a case of a round': () =>
    world().portfolios.changeItem({ round: 'big', cnj: '0'.repeat(19) + '1', state: 'done', nowMs: NOON_MS }),
};

/** These read all cases of one round, and of no other. */
const OF_A_ROUND: typeof CALLS = {
  'the progress of a round': () => world().portfolios.count('big'),
  'the spending of a round': () => world().portfolios.spentOf('big'),
};

const urlWith = (mode: 'force_custom_plan' | 'force_generic_plan'): string => {
  const url = new URL(database.directUrl);
  url.searchParams.set('options', `-c plan_cache_mode=${mode}`);
  return url.href;
};

describe('with custom plans:', () => {
  // One connection: its own counters tell what its statements have read.
  beforeAll(() => (db = database.connect({ url: urlWith('force_custom_plan'), max: 1 })));

  test.each(Object.entries({ ...CALLS, ...LOOKS }))('%s scans no growing table and reads few rows', readsLittle);

  test('the missed webhooks of a month read its waits, and no events of others', async () => {
    const byPart: number[] = [];
    const counting = db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) => {
        const waits = result.rows[0]?.['expected'];
        if (waits !== undefined) byPart.push(Number(waits));
        return Promise.resolve(result);
      },
    });
    const inbox = createInbox({ db: counting, clock: setClock().now });
    const missed = () => inbox.findMissedEvents({ sinceMs: NOON_MS - 30 * DAY_MS });
    const { expected } = await missed();
    expect(expected).toBeGreaterThan(ROUND);
    expect(byPart.length).toBeGreaterThanOrEqual(30);
    expect(byPart.reduce((sum, waits) => sum + waits)).toBe(expected);
    // The waits are most of this ledger, so its table may be scanned.
    const { 'all of intent': _waits, ...others } = await tooMuchReadBy(missed, 5 * expected);
    expect(others).toEqual({});
  });

  test.each([100, 500])('an export of the day %i days ago reads the rows of that day', async (ago) => {
    const day = { fromMs: NOON_MS - ago * DAY_MS, beforeMs: NOON_MS - (ago - 1) * DAY_MS };
    const exported: Intent[] = [];
    const read = await tooMuchReadBy(async () => {
      for await (const intent of exportIntents(db, day)) exported.push(intent);
    });
    expect(read).toEqual({});
    expect(new Set(exported.map(({ account }) => account))).toEqual(new Set(['default', 'other']));
    const { rows } = await sql<{ readonly id: string }>`
      select intent_id as id from tramita.intent_all
      where opened_at >= ${new Date(day.fromMs)} and opened_at < ${new Date(day.beforeMs)} order by seq`.execute(db);
    expect(exported.map(({ intentId }) => intentId)).toEqual(rows.map(({ id }) => id));
  });

  test('the check for contradicted rows does not read the rows of the account', async () => {
    const check = () =>
      checkLedger(db, { accounts: ['default'], nowMs: NOON_MS, sinceMs: NOON_MS, openAtMostMs: DAY_MS });
    await check();
    const read = Object.keys(await tooMuchReadBy(check));
    expect(read.filter((how) => /_day$|_account_opened_at_/.test(how))).toEqual([]);
  });

  test.each(Object.entries(OF_A_ROUND))('%s reads the rows of that round alone', async (_what, run) => {
    await run();
    expect(await tooMuchReadBy(run, ROUND + 10)).toEqual({});
  });
});

describe('with generic plans:', () => {
  beforeAll(() => (db = database.connect({ url: urlWith('force_generic_plan'), max: 1 })));

  test.each(Object.entries(CALLS))('%s scans no growing table and reads few rows', readsLittle);
});

async function readsLittle(_what: string, run: () => Promise<unknown>): Promise<void> {
  await run();
  expect(await tooMuchReadBy(run)).toEqual({});
}
