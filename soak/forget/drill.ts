/**
 * One drill: flows in every phase, two workers with folders of their own, a database that forgets under them. Then what was
 * lost comes back or waits for a person, and the service's charge book tells whether anything was paid twice.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import type { Charge } from '../../sandbox/index.js';
import { packageRoot, type Shutdown } from '../../src/local/index.js';
import { connect } from '../../src/store/index.js';
import { attend, progressWithin, type FlowEnd } from '../attend.js';
import { decideBy } from '../person.js';
import { createProxy, type Proxy } from '../wire.js';
import { startWorkerProcess, type WorkerProcess } from '../worker-process.js';
import { openWorld, type World } from '../world.js';
import { openCluster, type ForgetfulCluster, type Way } from './cluster.js';
import { planFlows, type DrillFlow } from './flows.js';

export interface DrillOptions {
  readonly way: Way;
  readonly flows: number;
  /** The folder of one worker is lost together with the database. */
  readonly losesFolder: boolean;
  readonly seed: number;
}

export interface DrillFigures {
  readonly way: string;
  readonly flows: number;
  readonly done: number;
  readonly failed: Readonly<Record<string, number>>;
  readonly notEnded: readonly string[];
  /** Attentions under which flows parked, by name. */
  readonly parked: Readonly<Record<string, number>>;
  readonly charges: number;
  /** Calls that the service charged more than once. */
  readonly doubles: readonly string[];
  /** Rows that were written again, by witness. */
  readonly restored: Readonly<Record<string, number>>;
  /** Seconds from the loss to the end of the hold. */
  readonly heldSeconds: number | null;
  /** Rows that a second `reconcile --yes` wrote. */
  readonly secondReconcile: number;
  readonly openAtEnd: number;
  readonly seconds: number;
}

const GIVE_UP_AFTER_MS = 6 * 60_000;
const LOOK_EVERY_MS = 1_500;
const FORGOTTEN_FOR_MS = 3_000;

export async function runDrill(
  shutdown: Shutdown,
  options: DrillOptions,
  say: (text: string) => void,
): Promise<DrillFigures> {
  const startedMs = Date.now();
  const root = mkdtempSync(join(tmpdir(), 'tramita-drill-'));
  const cluster = await openCluster(root, options.way);
  shutdown.add({ name: 'forgetful cluster', stop: () => cluster.stop() });
  const wire = await createProxy(new URL(cluster.url()).host);
  shutdown.add({ name: 'wire', stop: () => wire.close() });
  const world = await openWorld(shutdown, {
    ...{ databaseUrl: throughWire(cluster.url(), wire.address) },
    sandbox: { refreshMs: 4_000, coverageMs: 0 },
  });
  const envOf = (name: string): Record<string, string> => ({
    ...world.env,
    TRAMITA_FILES_DIR: join(root, `files-${name}`),
  });
  const workers = [await startWorkerProcess(envOf('a')), await startWorkerProcess(envOf('b'))];
  shutdown.add({ name: 'workers', stop: () => stopAll(workers) });

  const flows = planFlows({ count: options.flows, first: 1 + (options.seed % 500) * 100 });
  const half = Math.ceil(flows.length / 2);
  await makeTrouble(world);
  const parked = new Map<string, string>();
  const playing = flows.slice(0, half).map((flow) => play(world, flow, parked));
  await sleep(FORGOTTEN_FOR_MS);
  await cluster.beginToForget();
  playing.push(...flows.slice(half).map((flow) => play(world, flow, parked)));
  await sleep(FORGOTTEN_FOR_MS);
  say(`${options.way}: the database forgets`);
  const forgottenAtMs = Date.now();
  await forget({ cluster, wire, workers, options, root, restart: () => startWorkerProcess(envOf('a')) });
  const held = whenReleased(cluster, options).then((atMs) =>
    atMs === null ? null : Math.round((atMs - forgottenAtMs) / 1_000),
  );
  const ends = await Promise.all(playing);
  const heldSeconds = await held;
  for (const name of ['a', 'b']) await reconcile(envOf(name));
  const secondReconcile = (await reconcile(envOf('a'))) + (await reconcile(envOf('b')));
  const figures = {
    ...(await booksOf(world, cluster)),
    ...countEnds(ends),
    ...{ way: options.losesFolder ? `${options.way}, a folder lost` : options.way, flows: flows.length },
    parked: countBy([...parked.values()]),
    ...{ heldSeconds, secondReconcile },
    seconds: Math.round((Date.now() - startedMs) / 1_000),
  };
  await stopAll(workers);
  await cluster.stop();
  rmSync(root, { recursive: true, force: true });
  return figures;
}

/** Some calls are slow to answer, some are charged and never answered: so every phase is met. */
async function makeTrouble(world: World): Promise<void> {
  const arm = (fault: object): Promise<unknown> => world.control('/faults', fault);
  for (const operation of ['getCase', 'requestRefresh', 'searchTerm', 'listLawyerCases']) {
    await arm({ operation, fault: 'F7', ms: 1_500, times: 4, after: 1 });
    await arm({ operation, fault: 'F4', times: 1, after: 2 });
  }
  await arm({ operation: 'getRefreshStatus', fault: 'status', status: 503, times: 3 });
}

async function forget(order: {
  readonly cluster: ForgetfulCluster;
  readonly wire: Proxy;
  readonly workers: WorkerProcess[];
  readonly options: DrillOptions;
  readonly root: string;
  readonly restart: () => Promise<WorkerProcess>;
}): Promise<void> {
  const { cluster, wire, workers, options, root, restart } = order;
  if (options.way !== 'row') wire.lead(undefined);
  await workers[0]?.kill();
  await cluster.forget();
  if (options.losesFolder) rmSync(join(root, 'files-a'), { recursive: true, force: true });
  wire.lead(new URL(cluster.url()).host);
  workers[0] = await restart();
}

/** A person goes on without a journal whose folder is lost, after a look. Null: never held, or not released in time. */
async function whenReleased(cluster: ForgetfulCluster, { losesFolder }: DrillOptions): Promise<number | null> {
  const db = connect({ url: cluster.url(), applicationName: 'tramita drill', max: 1 });
  try {
    const untilMs = Date.now() + GIVE_UP_AFTER_MS;
    let wasHeld = false;
    for (let looks = 0; Date.now() < untilMs; looks += 1) {
      const { rows } = await sql<{
        held: boolean;
      }>`select held_since is not null as held from tramita.ledger_life`.execute(db);
      const isHeld = rows[0]?.held === true;
      if (wasHeld && !isHeld) return Date.now();
      if (!wasHeld && looks > 100) return null;
      wasHeld ||= isHeld;
      if (losesFolder && looks === 60) {
        await sql`update tramita.ledger_journal set dismissed_by = 'soak'
          where epoch is distinct from (select epoch from tramita.ledger_life)`.execute(db);
      }
      await sleep(200);
    }
    return null;
  } finally {
    await db.destroy();
  }
}

async function play(world: World, flow: DrillFlow, parked: Map<string, string>): Promise<FlowEnd | undefined> {
  const { client, config } = world;
  const handle = await client.workflow.start(flow.type, {
    ...{ workflowId: flow.workflowId, taskQueue: config.taskQueue, args: [flow.input] },
  });
  const needles = needlesOf(flow);
  const lookAt = async (workflowId: string): Promise<void> => {
    const progress = await progressWithin(client, workflowId, 3_000);
    if (progress?.state !== 'parked' || progress.attention === null) return;
    parked.set(`${workflowId}/${progress.attention}`, progress.attention);
    const charge = await unansweredCharge(world, { operation: progress.steps.at(-1)?.operation ?? '', needles });
    await decideBy(world, { workflowId, progress }, charge).catch(() => undefined);
  };
  return attend(handle, {
    everyMs: LOOK_EVERY_MS,
    untilMs: Date.now() + GIVE_UP_AFTER_MS,
    look: async () => {
      for (const workflowId of [flow.workflowId, ...flow.others]) await lookAt(workflowId);
    },
  });
}

/** Numbers and words of the flow's arguments by which its requests are known. */
function needlesOf({ input }: DrillFlow): readonly string[] {
  return JSON.stringify(input).match(/\d{20}|drill \d+|(?<=:)\d{6}/g) ?? [];
}

/** What the service charged for a call of this flow; undefined: nothing. */
async function unansweredCharge(
  world: World,
  { operation, needles }: { readonly operation: string; readonly needles: readonly string[] },
): Promise<Charge | undefined> {
  const asked = (await world.requests()).filter(
    ({ charge, target }) =>
      charge !== null &&
      needles.some((needle) => target.includes(needle) || target.includes(encodeURIComponent(needle))),
  );
  const numbers = new Set(asked.map(({ charge }) => charge));
  return (await world.charges()).find(
    (charge) => charge.operation === operation && (numbers.has(charge.n) || needles.includes(charge.subject.cnj)),
  );
}

/** How many rows it wrote. */
async function reconcile(env: Readonly<Record<string, string>>): Promise<number> {
  const main = join(packageRoot(), 'dist', 'src', 'cli', 'main.js');
  const { PATH = '', HOME = '' } = process.env;
  const args = [main, 'ledger', 'reconcile', '--yes', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { PATH, HOME, ...env },
    maxBuffer: 64_000_000,
  });
  return (JSON.parse(stdout) as { readonly rows: readonly unknown[] }).rows.length;
}

async function booksOf(
  world: World,
  cluster: ForgetfulCluster,
): Promise<Pick<DrillFigures, 'charges' | 'doubles' | 'restored' | 'openAtEnd'>> {
  const book = (await world.charges()).filter(({ reason }) => reason !== 'recurring');
  const times = new Map<string, number>();
  for (const { operation, about } of book)
    times.set(`${operation} ${about}`, (times.get(`${operation} ${about}`) ?? 0) + 1);
  const db = connect({ url: cluster.url(), applicationName: 'tramita drill', max: 1 });
  try {
    const { rows } = await sql<{ witness: string; count: number }>`
      select evidence ->> 'witness' as witness, count(*)::integer as count from tramita.intent
      where evidence -> 'lost' is not null group by 1`.execute(db);
    const { rows: open } = await sql<{ count: number }>`
      select count(*)::integer as count from tramita.intent where state = 'open'`.execute(db);
    return {
      charges: book.length,
      doubles: [...times].filter(([, count]) => count > 1).map(([call, count]) => `${call} ${count}×`),
      restored: Object.fromEntries(rows.map(({ witness, count }) => [witness, count])),
      openAtEnd: open[0]?.count ?? 0,
    };
  } finally {
    await db.destroy();
  }
}

function countEnds(ends: readonly (FlowEnd | undefined)[]): Pick<DrillFigures, 'done' | 'failed' | 'notEnded'> {
  return {
    done: ends.filter((end) => end?.kind === 'done').length,
    failed: countBy(ends.flatMap((end) => (end?.kind === 'failed' ? [end.type] : []))),
    notEnded: ends.flatMap((end, index) => (end === undefined ? [String(index)] : [])),
  };
}

function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function throughWire(url: string, address: string): string {
  const through = new URL(url);
  through.host = address;
  return through.href;
}

async function stopAll(workers: readonly WorkerProcess[]): Promise<void> {
  await Promise.all(workers.map((worker) => worker.kill()));
}
