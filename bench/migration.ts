/**
 * `npm run bench:migration`: how long calls are held while a ledger of years is migrated. The old programs (built from the
 * commit before the first migration that is measured) create the schema, and open and settle calls without a pause, at a
 * fixed rate. The current `migrate` runs beside them, and they continue afterwards, as during a deployment.
 *
 *     npm run bench:migration -- --rows 3000000 --rate 20
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Command } from 'commander';
import { DEFAULT_GAPS, OPERATIONS, withExtraOperations, type Amount } from '../src/contract/index.js';
import type * as room from '../src/ledger/index.js';
import { migrate } from '../src/store/index.js';
import type * as store from '../src/store/index.js';
import { fillLedger } from '../test/support/fill-ledger.js';
import { percentile } from '../soak/numbers.js';
import { postgresUp, soakFolder } from '../soak/servers.js';
import { refreshCall } from './refresh-call.js';
import { runBench, say, timed, type BenchResult } from './run-bench.js';

type Store = typeof store;
type LedgerRoom = typeof room;
type Ledger = ReturnType<LedgerRoom['createLedger']>;

const ROOT = resolve(__dirname, '..', '..');
/** The first migration that is measured. The old schema is that of the commit before it was added. */
const FIRST = 'src/store/migrations/0024-bodies-by-month.ts';
const MOST_HELD_MS = 2_000;
/** How long calls are made before and after the migration. */
const BESIDE_MS = 5_000;

interface Options {
  readonly rows: number;
  readonly rate: number;
}

async function measure({ rows, rate }: Options): Promise<BenchResult> {
  const folder = soakFolder();
  const postgres = await postgresUp(folder);
  try {
    const { url } = postgres;
    const { store, room } = buildBefore(join(folder, 'before'));
    await store.migrate(url);
    const filler = store.connect({ url, applicationName: 'fill', max: 1, statementTimeoutMs: 1_800_000 });
    const sizes = { intents: rows, waiters: Math.ceil(rows / 10), events: rows, today: 1_000, round: 1_000 };
    const filled = await timed(() => fillLedger(filler, { ...sizes, nowMs: Date.now() }));
    await filler.destroy();
    say(`filled in ${Math.round(filled.seconds)} s`);
    const db = store.connect({ url, applicationName: 'calls', max: 10 });
    const calls = startCalls(ledgerOf(room, db), rate);
    await setTimeout(BESIDE_MS);
    const quiet = calls.times();
    const migrated = await timed(() => migrate(url));
    say(`${migrated.value.join(', ')} in ${migrated.seconds.toFixed(1)} s`);
    await setTimeout(BESIDE_MS);
    const { times, failures } = await calls.stop();
    await db.destroy();
    const longestMs = Math.max(...times);
    return {
      summary: {
        rows,
        rate,
        migrations: migrated.value,
        migratedSeconds: migrated.seconds,
        calls: times.length,
        longestMs,
        p99Ms: percentile(times, 0.99),
        quietP99Ms: percentile(quiet, 0.99),
        failures,
      },
      missed: [
        ...(longestMs > MOST_HELD_MS ? [`a call was held for ${Math.round(longestMs)} ms`] : []),
        ...(failures.length > 0 ? [`${failures.length} calls failed: ${failures[0] ?? ''}`] : []),
        ...(migrated.value.length === 0 ? ['there was nothing to migrate'] : []),
      ],
    };
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The rooms of the commit before the first migration, compiled with the current compiler. */
function buildBefore(folder: string): { readonly store: Store; readonly room: LedgerRoom } {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8' }).trim();
  const added = git('log', '--diff-filter=A', '--format=%H', '--', FIRST).split('\n').at(-1);
  if (added === undefined || added === '') throw new Error(`bench: this clone does not say when ${FIRST} came`);
  mkdirSync(folder);
  execFileSync('sh', ['-c', `git -C "$0" archive "$1" | tar -x -C "$2"`, ROOT, `${added}^`, folder]);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--build', 'tsconfig.node.json'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  const load = createRequire(join(folder, 'package.json'));
  return { store: load('./dist/src/store/index.js') as Store, room: load('./dist/src/ledger/index.js') as LedgerRoom };
}

function ledgerOf(room: LedgerRoom, db: ReturnType<Store['connect']>): Ledger {
  return room.createLedger({
    db,
    clock: Date.now,
    gaps: DEFAULT_GAPS,
    catalogue: withExtraOperations(OPERATIONS, []),
    token: (_kind, value) => JSON.stringify(value),
    settings: { accounts: {}, prices: { default: 1_000 as Amount } },
  });
}

interface Calls {
  /** Milliseconds that each opening and each settlement took so far. */
  times(): readonly number[];
  stop(): Promise<{ readonly times: readonly number[]; readonly failures: readonly string[] }>;
}

/** `rate` flows begin in each second, whether or not the earlier ones have ended. */
function startCalls(ledger: Ledger, rate: number): Calls {
  const times: number[] = [];
  const failures: string[] = [];
  const running = new Set<Promise<void>>();
  const clocked = async <T>(run: () => Promise<T>): Promise<T> => {
    const { value, seconds } = await timed(run);
    times.push(seconds * 1_000);
    return value;
  };
  let flows = 0;
  const flow = async (): Promise<void> => {
    flows += 1;
    const verdict = await clocked(() => ledger.openIntent(refreshCall(5_000_000 + flows)));
    if (verdict.kind !== 'send') throw new Error(`a call was not sent: ${verdict.kind}`);
    const { intentId } = verdict.intent;
    await clocked(() =>
      ledger.settle(intentId, {
        state: 'done',
        charged: 1_000 as Amount,
        balanceAfter: 5 as Amount,
        httpStatus: 200,
        body: { bytes: Buffer.from(`{"id":"${intentId}"}`), contentType: 'application/json' },
      }),
    );
  };
  const timer = setInterval(() => {
    const one = flow().catch((error: unknown) => void failures.push(String(error)));
    running.add(one);
    void one.finally(() => running.delete(one));
  }, 1_000 / rate);
  return {
    times: () => [...times],
    stop: async () => {
      clearInterval(timer);
      await Promise.all(running);
      return { times, failures };
    },
  };
}

const number = (text: string): number => Number(text);
const options = new Command('bench:migration')
  .option('--rows <n>', 'rows of the ledger, and events', number, 3_000_000)
  .option('--rate <n>', 'flows that open and settle a call, each second', number, 20)
  .parse()
  .opts<Options>();

runBench('migration', () => measure(options));
