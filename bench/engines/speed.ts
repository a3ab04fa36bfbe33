/**
 * How fast, and at what cost. The engines take turns, so that other load on the machine hits all of them. In a turn a
 * worker starts and warms up. Then many flows begin at once, and a few more one after another, whose wake is measured: from
 * the moment the service has finished (and sends its webhook) to the flow's next request.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { caseNumberOf } from '../../soak/identifiers.js';
import { median } from '../../soak/numbers.js';
import { inLanes } from '../../soak/calls/drive.js';
import { waitUntil } from '../../src/local/index.js';
import type { Contender } from './contender.js';
import { cpuMsOf, memoryOf } from './program.js';
import { REFRESH_MS } from './settings.js';

const WARM_UP = 8;
const STARTED_AT_ONCE = 16;
const WOKEN = 10;
const LOOK_EVERY_MS = 20;
const WITHIN_MS = 120_000;

/** Figures of one turn. */
export interface Turn {
  readonly flowsPerSecond: number;
  /** Per flow. */
  readonly workerCpuMs: number;
  /** Per flow: worker, receiver of webhooks, and the servers that hold the engine's state. */
  readonly allCpuMs: number;
  /** Per flow, in the engine's database. */
  readonly statements: number;
  /** Peak resident memory of the worker's process, MB. */
  readonly workerMb: number;
  /** Median wake of this turn. */
  readonly wakeMs: number;
}

let cases = 0;

/** A case that no flow has used. */
export function nextCase(): string {
  return caseNumberOf(1_000_000 + (cases += 1));
}

export async function takeTurn(contender: Contender, flows: number): Promise<Turn> {
  const worker = await contender.startWorker();
  try {
    await runAll(contender, cut(WARM_UP));
    const { receiver, servers } = contender.pids;
    const before = { worker: cpuMsOf([worker.pid]), all: cpuMsOf([worker.pid, receiver, ...servers]) };
    await resetStatements(contender);
    const startedMs = performance.now();
    await runAll(contender, cut(flows));
    const seconds = (performance.now() - startedMs) / 1_000;
    const statements = await countStatements(contender);
    const after = { worker: cpuMsOf([worker.pid]), all: cpuMsOf([worker.pid, receiver, ...servers]) };
    const workerMb = memoryOf(worker.pid).most;
    const woken = cut(WOKEN);
    for (const cnj of woken) await runAll(contender, [cnj]);
    return {
      flowsPerSecond: flows / seconds,
      workerCpuMs: (after.worker - before.worker) / flows,
      allCpuMs: (after.all - before.all) / flows,
      statements: statements / flows,
      workerMb,
      wakeMs: median(await wakesOf(contender, woken)),
    };
  } finally {
    await worker.kill();
  }
}

/** KB of the worker's resident memory for each flow that waits for its webhook. */
export async function measureWaiting(contender: Contender, flows: number): Promise<number> {
  const worker = await contender.startWorker();
  try {
    await startAll(contender, cut(WARM_UP));
    await untilCharged(contender, WARM_UP);
    const before = memoryOf(worker.pid).now;
    await startAll(contender, cut(flows));
    await untilCharged(contender, WARM_UP + flows);
    return ((memoryOf(worker.pid).now - before) * 1_024) / flows;
  } finally {
    await worker.kill();
  }
}

function cut(flows: number): readonly string[] {
  return Array.from({ length: flows }, nextCase);
}

function startAll(contender: Contender, all: readonly string[]): Promise<void> {
  return inLanes(all, STARTED_AT_ONCE, (cnj) => contender.start(cnj));
}

async function runAll(contender: Contender, all: readonly string[]): Promise<void> {
  await startAll(contender, all);
  const check = async (): Promise<boolean> => {
    const done = await contender.done();
    return all.every((cnj) => done.has(cnj));
  };
  const what = `the end of ${all.length} flows of ${contender.name}`;
  await waitUntil({ what, deadlineMs: WITHIN_MS, everyMs: LOOK_EVERY_MS, check });
}

async function untilCharged(contender: Contender, flows: number): Promise<void> {
  const check = async (): Promise<boolean> => (await contender.service.charges()).length >= flows;
  await waitUntil({ what: `${flows} flows of ${contender.name} that wait`, deadlineMs: WITHIN_MS, check });
  // Gives the answers time to reach the engine.
  await sleep(1_000);
}

/** Milliseconds from the end of the work, by the service's clock, to the next request about it. */
async function wakesOf({ service }: Contender, all: readonly string[]): Promise<readonly number[]> {
  const [charges, requests] = [await service.charges(), await service.requests()];
  return all.flatMap((cnj) => {
    const charge = charges.find(({ subject }) => subject.cnj === cnj);
    if (typeof charge?.requestId !== 'string') return [];
    const { requestId } = charge;
    const finishedMs = Date.parse(charge.at) + REFRESH_MS;
    const next = requests
      .filter(({ target }) => target.includes(requestId) || target.includes(cnj))
      .map(({ at }) => Date.parse(at))
      .find((atMs) => atMs >= finishedMs);
    return next === undefined ? [] : [next - finishedMs];
  });
}

const OWN = '%/* the bench */%';

function resetStatements({ databaseUrl }: Contender): Promise<unknown> {
  return ask(databaseUrl, 'create extension if not exists pg_stat_statements; select pg_stat_statements_reset()');
}

async function countStatements({ databaseUrl }: Contender): Promise<number> {
  const text =
    'select sum(calls)::int as calls from pg_stat_statements s join pg_database d on d.oid = s.dbid ' +
    `where d.datname = current_database() and query not like '${OWN}' and query not like '%pg_stat_statements%'`;
  const [row] = await ask<{ calls: number }>(databaseUrl, text);
  return row?.calls ?? 0;
}

async function ask<Row extends object>(databaseUrl: string, text: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
