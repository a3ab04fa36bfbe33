/**
 * A portfolio of thousands of cases under a cap: the worker is killed twice, somebody asks for one case in the middle, and the
 * cap ends it. Every case is charged at most once, the counts add up to the whole list, and the worker's memory stays flat.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expectedCheckDigits, formatAmount, parseAmount } from '../src/contract/index.js';
import { packageRoot } from '../src/local/index.js';
import type { RefreshPortfolioResult } from '../src/protocol/index.js';
import { startRefreshCase, startRefreshPortfolio } from '../src/starters/index.js';
import { createRandom } from './random.js';
import { ledgerRows } from './run-soak.js';
import { startWorkerProcess, type WorkerProcess } from './worker-process.js';
import type { World } from './world.js';

export interface PortfolioOptions {
  readonly cases: number;
  /** As many as the cap pays for. */
  readonly refreshed: number;
  readonly kills: number;
  readonly seed: number;
}

export interface PortfolioFigures {
  readonly cases: number;
  readonly done: number;
  readonly failed: number;
  readonly parked: number;
  readonly skipped: number;
  readonly remaining: number;
  /** Cases that the service charged. */
  readonly charged: number;
  readonly doubleCharges: number;
  /** Charges of the book that the ledger does not know, and the other way round. */
  readonly booksDiffer: number;
  /** Above the cap, in money. */
  readonly overspent: string;
  readonly kills: number;
  /** Medians of the second and the last quarter of the longest life of a worker. */
  readonly rssMb: { readonly start: number; readonly end: number };
  /** From start to end: a refresh that a person asked for in the middle, and the median of the sweep's. */
  readonly seconds: { readonly whole: number; readonly interactive: number; readonly sweepMedian: number };
  readonly problems: readonly string[];
}

const PRICE = 1_000;
const CONCURRENCY = 20;
const NAME = 'soak';
const ENDS_WITHIN_MS = 6 * 60_000;
const MEGABYTE = 1_048_576;
const PAGE_BYTES = 4_096;
/** A heap breathes. */
const MOST_GROWTH = 1.15;
const ALLOWED_MB = 25;

export async function runPortfolio(
  world: World,
  { cases: count, refreshed, kills, seed }: PortfolioOptions,
  say: (text: string) => void,
): Promise<PortfolioFigures> {
  const random = createRandom(seed);
  const cases = Array.from({ length: count }, (_none, place) => caseAt(place));
  await loadList(world, cases);
  const starter = { client: world.client, taskQueue: world.config.taskQueue, token: world.token };
  const watch = watchMemory();
  let worker = await startWorkerProcess(world.env);
  watch.follow(worker);
  const startedMs = Date.now();
  const handle = await startRefreshPortfolio(starter, {
    ...{ name: NAME, concurrency: CONCURRENCY, once: 'soak', webhook: false },
    maxSpend: formatAmount(refreshed * PRICE),
  });
  const ended = endOf(handle);
  try {
    const moments = Array.from(
      { length: kills },
      (_none, place) => (refreshed * (place + 0.4 + random.next() * 0.5)) / (kills + 1),
    );
    for (const moment of moments) {
      await untilCharged(world, moment, ended.signal);
      await worker.kill();
      worker = await startWorkerProcess(world.env);
      watch.follow(worker);
      say(`portfolio: worker killed and started again after ${(await chargedCases(world, cases)).length} refreshes`);
    }
    const asked = await askInTheMiddle(starter, caseAt(count));
    const result = await Promise.race([ended.result, late()]);
    const whole = (Date.now() - startedMs) / 1_000;
    const seconds = { whole, interactive: asked, sweepMedian: await medianOfSweep(world) };
    return await judge(world, { cases, refreshed, kills, result, rssMb: watch.stop(), seconds });
  } finally {
    watch.stop();
    await worker.kill();
  }
}

function caseAt(place: number): string {
  const draft = `${String(2_000_000 + place)}0020268260100`;
  return `${draft.slice(0, 7)}${expectedCheckDigits(draft)}${draft.slice(9)}`;
}

/** By the command, as a person does it. */
async function loadList(world: World, cases: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tramita-portfolio-'));
  const file = join(folder, 'cases.csv');
  writeFileSync(file, `${cases.join('\n')}\n`);
  const main = join(packageRoot(), 'dist', 'src', 'cli', 'main.js');
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, ...world.env };
  await promisify(execFile)(process.execPath, [main, 'lists', 'load', file, '--name', NAME], { env });
  await rm(folder, { recursive: true, force: true });
}

function endOf(handle: { result(): Promise<RefreshPortfolioResult> }) {
  const over = new AbortController();
  const result = handle.result().finally(() => over.abort());
  result.catch(() => undefined);
  return { result, signal: over.signal };
}

function late(): Promise<never> {
  return new Promise((_resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('tramita: the portfolio has not ended')), ENDS_WITHIN_MS);
    timer.unref();
  });
}

/** Seconds that a refresh takes which a person asks for while the sweep runs. */
async function askInTheMiddle(starter: Parameters<typeof startRefreshCase>[0], cnj: string): Promise<number> {
  const startedMs = Date.now();
  const handle = await startRefreshCase(starter, { cnj, webhook: false });
  await handle.result();
  return (Date.now() - startedMs) / 1_000;
}

async function medianOfSweep({ client, config }: World): Promise<number> {
  const query = `WorkflowType = "refreshCase" AND ExecutionStatus = "Completed" AND TaskQueue = "${config.taskQueue}"`;
  const times: number[] = [];
  for await (const { startTime, closeTime } of client.workflow.list({ query })) {
    if (closeTime !== undefined) times.push((closeTime.getTime() - startTime.getTime()) / 1_000);
  }
  return median(times);
}

async function chargedCases(world: World, cases: readonly string[]): Promise<readonly string[]> {
  const ours = new Set(cases);
  return (await world.charges()).map(({ subject }) => subject.cnj).filter((cnj) => ours.has(cnj));
}

async function untilCharged(world: World, wanted: number, over: AbortSignal): Promise<void> {
  while (!over.aborted && (await world.charges()).length < wanted) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function watchMemory() {
  const lives: number[][] = [];
  let pid = -1;
  const timer = setInterval(() => {
    const megabytes = rssOf(pid);
    if (megabytes !== undefined) lives.at(-1)?.push(megabytes);
  }, 1_000);
  return {
    follow: (worker: WorkerProcess) => {
      pid = worker.pid;
      lives.push([]);
    },
    stop: () => {
      clearInterval(timer);
      const [longest = []] = [...lives].sort((left, right) => right.length - left.length);
      const quarter = Math.ceil(longest.length / 4);
      return { start: median(longest.slice(quarter, 2 * quarter)), end: median(longest.slice(-quarter)) };
    },
  };
}

/** Undefined where the process is gone. */
function rssOf(pid: number): number | undefined {
  try {
    const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
    return Math.round((Number(pages) * PAGE_BYTES) / MEGABYTE);
  } catch {
    return undefined;
  }
}

async function judge(
  world: World,
  found: Pick<PortfolioFigures, 'kills' | 'rssMb' | 'seconds'> & {
    readonly cases: readonly string[];
    readonly refreshed: number;
    readonly result: RefreshPortfolioResult;
  },
): Promise<PortfolioFigures> {
  const { cases, refreshed, kills, result, rssMb, seconds } = found;
  const { done, failed, parked, skipped, remaining, spent } = result;
  const charged = await chargedCases(world, cases);
  const differences = await compareBooks(world);
  const overspentBy = Math.max(0, charged.length * PRICE - refreshed * PRICE);
  const figures = {
    ...{ cases: cases.length, done, failed, parked, skipped, remaining, kills, rssMb, seconds },
    charged: charged.length,
    doubleCharges: charged.length - new Set(charged).size,
    booksDiffer: differences,
    overspent: formatAmount(overspentBy),
  };
  const known = parseAmount(spent.known) ?? 0;
  const problems = [
    ...(done + failed + parked + skipped + remaining === cases.length ? [] : ['the counts are not the whole list']),
    ...(done + parked === refreshed && failed === 0 ? [] : [`${done} refreshed and ${parked} parked of ${refreshed}`]),
    ...(figures.doubleCharges === 0 ? [] : ['a case was charged twice']),
    ...(overspentBy === 0 ? [] : ['the cap was exceeded']),
    ...(figures.booksDiffer === 0 ? [] : ['ledger and charge book differ']),
    ...(known + spent.unknown * PRICE === charged.length * PRICE ? [] : [`it says that it spent ${spent.known}`]),
    ...(rssMb.end <= rssMb.start * MOST_GROWTH + ALLOWED_MB ? [] : ['the memory of the worker grows']),
  ];
  return { ...figures, problems };
}

/** Charges that no row of their case admits, and rows that tell a charge which the service does not. */
async function compareBooks(world: World): Promise<number> {
  const rows = (await ledgerRows(world)).filter(({ joined }) => joined === null);
  const charges = await world.charges();
  const charged = rows.filter(({ charged: amount }) => amount !== null && amount !== '0');
  const admitted = [...charged, ...rows.filter(({ state }) => state === 'unknown' || state === 'charged_lost')];
  const ofCase = (cnj: string) => (row: { readonly workflowId: string }) => row.workflowId.endsWith(cnj);
  const unknownToUs = charges.filter(({ subject }) => !admitted.some(ofCase(subject.cnj)));
  const unknownToThem = charged.filter((row) => !charges.some(({ subject }) => ofCase(subject.cnj)(row)));
  return unknownToUs.length + unknownToThem.length;
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}
