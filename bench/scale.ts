/**
 * `npm run bench:scale`: what the statements of the hot path cost on a ledger of years, compared with an empty one,
 * alternating on one server: p50, p99 and their ratio. Then charged calls under one day cap, opened by eight callers at
 * once.
 *
 *     npm run bench:scale -- --intents 10000000 --waiters 1000000 --events 10000000
 */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Command } from 'commander';
import { sql } from 'kysely';
import { DEFAULT_GAPS, OPERATIONS, withExtraOperations, type Amount } from '../src/contract/index.js';
import { createInbox } from '../src/inbox/index.js';
import { createLedger, readFigures, type Ledger, type OpenIntent } from '../src/ledger/index.js';
import { createPortfolios } from '../src/records/index.js';
import { connect, migrate, type Database } from '../src/store/index.js';
import { fillLedger, type Fill } from '../test/support/fill-ledger.js';
import { caseNumberOf } from '../soak/identifiers.js';
import { percentilesOf, type Percentiles } from '../soak/numbers.js';
import { createDatabase, postgresUp, soakFolder } from '../soak/servers.js';
import { refreshCall } from './refresh-call.js';
import { runBench, say, timed, type BenchResult } from './run-bench.js';

const ROUNDS = 300;
const WARM = 30;
const CALLERS = 8;
const OPENINGS = 2_000;
/** Undecided rows in a list. The empty ledger has as many, so that it is not compared with an empty list. */
const LISTED = 50;
/** Targets: ratio of p50 to the empty ledger, p99 of the large one, openings per second under one day cap. */
const MOST_RATIO = 1.5;
const MOST_P99_MS = 50;
const LEAST_OPENINGS = 200;

type Sizes = Pick<Fill, 'intents' | 'waiters' | 'events' | 'today'>;

interface Side {
  readonly url: string;
  readonly db: Database;
  readonly ledger: Ledger;
  readonly leaveUnknown: () => Promise<unknown>;
  readonly act: Readonly<Record<string, () => Promise<unknown>>>;
  /** Milliseconds of each run of each act. */
  readonly times: Map<string, readonly number[]>;
}

async function measure(fill: Sizes): Promise<BenchResult> {
  const folder = soakFolder();
  const postgres = await postgresUp(folder);
  const sides: Side[] = [];
  try {
    const empty = await sideOf(postgres.url, 'empty');
    const large = await sideOf(postgres.url, 'large');
    sides.push(empty, large);
    for (let n = 0; n < LISTED; n += 1) await empty.leaveUnknown();
    const filler = connect({
      url: large.url,
      applicationName: 'fill',
      max: 1,
      statementTimeoutMs: 1_800_000,
    });
    const filled = await timed(() => fillLedger(filler, { ...fill, round: 20_000, nowMs: Date.now() }));
    await filler.destroy();
    say(`filled in ${Math.round(filled.seconds)} s`);
    const bytes = await bytesPerRow(large.db);
    const times = await timeAll(empty, large, fill.intents);
    const missed = Object.entries(times).flatMap(([what, { ratio, large: slow }]) => [
      ...(ratio > MOST_RATIO ? [`${what}: ${ratio.toFixed(2)} times the empty ledger`] : []),
      ...(slow.p99 > MOST_P99_MS ? [`${what}: p99 ${slow.p99.toFixed(1)} ms`] : []),
    ]);
    const openedPerSecond = await openUnderCap(large.ledger);
    if (openedPerSecond < LEAST_OPENINGS)
      missed.push(`${Math.round(openedPerSecond)} openings a second under a day cap`);
    return { summary: { ...fill, bytesPerRow: bytes, times, openedPerSecond }, missed };
  } finally {
    await Promise.all(sides.map(({ db }) => db.destroy()));
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function sideOf(server: string, name: string): Promise<Side> {
  const url = await createDatabase(server, name);
  await migrate(url);
  const db = connect({ url, applicationName: 'bench', max: CALLERS });
  const inbox = createInbox({ db, clock: Date.now });
  const portfolios = createPortfolios({ db });
  const ledger = createLedger({
    db,
    clock: Date.now,
    token: (_kind, value) => JSON.stringify(value),
    catalogue: withExtraOperations(OPERATIONS, []),
    gaps: DEFAULT_GAPS,
    settings: {
      accounts: { busy: { maxSpendPerDay: 1e12 as Amount, minBalance: 1 as Amount } },
      prices: { default: 1_000 as Amount },
    },
  });
  const open = (account: string) => ledger.openIntent(requestOf(account));
  const opened = async (): Promise<string> => {
    const verdict = await open('default');
    if (verdict.kind !== 'send') throw new Error(verdict.kind);
    return verdict.intent.intentId;
  };
  let pending = '';
  const act = {
    open: async () => {
      pending = await opened();
    },
    settlePending: () =>
      ledger.settle(pending, { state: 'pending', charged: 1_000 as Amount, requestId: randomUUID() }),
    settleFinal: () =>
      ledger.settle(pending, {
        state: 'done',
        charged: 1_000 as Amount,
        balanceAfter: 5 as Amount,
        httpStatus: 200,
        body: { bytes: Buffer.from(`{"id":"${pending}"}`), contentType: 'application/json' },
      }),
    openUnderDayCap: () => open('busy'),
    lookAtCall: () =>
      ledger.about({ account: 'default', operation: 'requestRefresh', params: { cnj: caseNumberOf(7) } }),
    lookForEvents: () => inbox.eventsAbout({ keys: [`cnj:${caseNumberOf(7)}`], sinceMs: 0, limit: 10 }),
    event: () =>
      inbox.record({
        account: 'default',
        eventId: randomUUID(),
        event: 'case.refreshed',
        bodySha256: randomUUID(),
        body: Buffer.from('{}'),
        keys: [`cnj:${caseNumberOf(9)}`],
      }),
    relayRound: () => inbox.takeUnwoken({ limit: 50, olderThanMs: 0 }, (wakes) => Promise.resolve(wakes)),
    endOfFlow: () => inbox.dropWaiters({ workflowId: `bench-${randomUUID()}`, goneAtMs: Date.now() }),
    nextCases: () => portfolios.items('none', 'waiting', 50),
    metrics: () => readFigures(db, { accounts: ['default', 'busy'], nowMs: Date.now() }),
    newestUndecided: () => ledger.list({ state: 'unknown', limit: LISTED }),
  };
  const leaveUnknown = async () => ledger.settle(await opened(), { state: 'unknown', reason: 'bench' });
  return { url, db, ledger, leaveUnknown, act, times: new Map() };
}

/** How the database grows: bytes per row, with its share of the indexes, for each table that grows. */
async function bytesPerRow(db: Database): Promise<Readonly<Record<string, number>>> {
  const { rows: tables } = await sql<{ table: string; bytes: number }>`
    select relname as "table", pg_total_relation_size(oid)::float8 / nullif(reltuples, 0) as bytes
    from pg_class where relnamespace = 'tramita'::regnamespace and relkind = 'r' and reltuples > 1000
    order by pg_total_relation_size(oid) desc`.execute(db);
  for (const { table, bytes } of tables) say(`${table.padEnd(26)} ${Math.round(bytes)} bytes a row`);
  return Object.fromEntries(tables.map(({ table, bytes }) => [table, Math.round(bytes)]));
}

let cases = 0;

function requestOf(account: string): OpenIntent {
  cases += 1;
  return refreshCall(4_000_000 + cases, account);
}

/** Milliseconds. */
interface Times {
  readonly empty: Percentiles;
  readonly large: Percentiles;
  readonly ratio: number;
  readonly exponent: number;
}

async function timeAll(empty: Side, large: Side, intents: number): Promise<Readonly<Record<string, Times>>> {
  const names = Object.keys(empty.act);
  for (let round = 0; round < ROUNDS + WARM; round += 1) {
    for (const side of round % 2 === 0 ? [empty, large] : [large, empty]) {
      for (const name of names) {
        const { seconds } = await timed(() => side.act[name]?.() ?? Promise.resolve());
        if (round >= WARM) side.times.set(name, [...(side.times.get(name) ?? []), seconds * 1_000]);
      }
    }
  }
  return Object.fromEntries(
    names.map((name) => {
      const of = ({ times }: Side): Percentiles => percentilesOf(times.get(name) ?? []);
      const figures = { empty: of(empty), large: of(large) };
      const ratio = figures.large.p50 / figures.empty.p50;
      // The law of growth, t ~ rows^exponent, from the number of rows that the empty side has by now: 0 is flat, 1 reads
      // every row.
      const exponent = Math.log(ratio) / Math.log(intents / (2 * ROUNDS));
      say(
        `${name.padEnd(18)} ${figures.empty.p50.toFixed(2)} → ${figures.large.p50.toFixed(2)} ms p50 (${ratio.toFixed(2)}, rows^${exponent.toFixed(2)}), p99 ${figures.large.p99.toFixed(1)}`,
      );
      return [name, { ...figures, ratio, exponent }];
    }),
  );
}

/** Callers never wait between two openings, all under the lock of one account's day. */
async function openUnderCap(ledger: Ledger): Promise<number> {
  let left = OPENINGS;
  const call = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await ledger.openIntent(requestOf('busy'));
    }
  };
  const { seconds } = await timed(() => Promise.all(Array.from({ length: CALLERS }, call)));
  return OPENINGS / seconds;
}

const rows = (text: string): number => Number(text);
const sizes = new Command('bench:scale')
  .option('--intents <n>', 'rows of the ledger', rows, 1_000_000)
  .option('--waiters <n>', 'waiters', rows, 200_000)
  .option('--events <n>', 'events in the inbox', rows, 1_000_000)
  .option('--today <n>', 'rows of this day under the account with a cap', rows, 200_000)
  .parse()
  .opts<Sizes>();

runBench('scale', () => measure(sizes));
