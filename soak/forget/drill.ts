/**
 * One drill: flows in every phase, two workers with their own folders, a database that loses data. Then what was lost is
 * restored or waits for a person, and the service's charge book shows whether anything was paid twice.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Charge } from '../../sandbox/index.js';
import type { Shutdown } from '../../src/local/index.js';
import { connect, type Database } from '../../src/store/index.js';
import { auditBooks } from '../../src/testing/index.js';
import { readRows } from '../books.js';
import { runCommand } from '../command.js';
import { runDisturbed, UNDISTURBED } from '../disturb.js';
import type { Flow } from '../flow-book.js';
import { startPerson } from '../person.js';
import { notZero, type Report } from '../report.js';
import { soakFolder } from '../servers.js';
import { openWire } from '../surroundings.js';
import type { Proxy } from '../wire.js';
import { startWorkerProcess, type WorkerProcess } from '../worker-process.js';
import { openWorld, throughWire, type World } from '../world.js';
import { openCluster, type ForgetfulCluster, type Way } from './cluster.js';
import { planFlows } from './flows.js';

interface DrillOptions {
  readonly way: Way;
  readonly flows: number;
  /** The folder of one worker is lost together with the database. */
  readonly losesFolder: boolean;
  readonly seed: number;
  /** How often all connections to the database are reset. */
  readonly cuts: number;
}

/** The ledger's database, and the workers that use it. */
interface Drill {
  readonly options: DrillOptions;
  readonly world: World;
  readonly root: string;
  readonly cluster: ForgetfulCluster;
  readonly wire: Proxy;
  readonly workers: WorkerProcess[];
  /** Environment of the worker `a` or `b`: each has its own folder. */
  readonly envOf: (name: string) => Record<string, string>;
}

const GIVE_UP_AFTER_MS = 6 * 60_000;
const FORGOTTEN_FOR_MS = 3_000;
const HOLD_POLL_EVERY_MS = 200;
/** How many polls to wait before concluding that the hold never came, and before a person dismisses the lost folder. */
const NEVER_HELD_POLLS = 100;
const DISMISS_POLLS = 60;

export async function runDrill(
  shutdown: Shutdown,
  options: DrillOptions,
  say: (text: string) => void,
): Promise<Report> {
  const root = soakFolder();
  const cluster = await openCluster(root, options.way);
  shutdown.add({ name: 'forgetful cluster', stop: () => cluster.stop() });
  const wire = await openWire(shutdown, new URL(cluster.url()).host);
  const world = await openWorld(shutdown, {
    databaseUrl: throughWire(cluster.url(), wire.address),
    sandbox: { refreshMs: 4_000, coverageMs: 0 },
  });
  const envOf = (name: string): Record<string, string> => ({
    ...world.env,
    TRAMITA_FILES_DIR: join(root, `files-${name}`),
  });
  const workers = [await startWorkerProcess(envOf('a')), await startWorkerProcess(envOf('b'))];
  const stopAll = async (): Promise<void> => {
    await Promise.all(workers.map((worker) => worker.kill()));
  };
  shutdown.add({ name: 'workers', stop: stopAll });
  const drill: Drill = { options, world, root, cluster, wire, workers, envOf };
  const person = startPerson(world);
  const { value, disturbed } = await runDisturbed(
    world,
    { ...UNDISTURBED, cuts: options.cuts, workers: 0 },
    { wires: [wire], plan: () => playDrill(drill, say) },
  ).finally(() => person.stop());
  const { flows, heldSeconds } = value;
  for (const name of ['a', 'b']) await reconcile(envOf(name));
  const secondReconcile = (await reconcile(envOf('a'))) + (await reconcile(envOf('b')));
  const books = await readBooks(drill);
  const notEnded = flows.filter(({ end }) => end === undefined).map(({ workflowId }) => workflowId);
  const figures = {
    ...books,
    way: options.losesFolder ? `${options.way}, a folder lost` : options.way,
    flows: flows.length,
    done: flows.filter(({ end }) => end?.kind === 'done').length,
    failed: countBy(flows.flatMap(({ end }) => (end?.kind === 'failed' ? [end.type] : []))),
    notEnded,
    /** Attentions under which flows parked, by name. */
    parked: countBy(flows.flatMap(({ parked }) => parked.map(({ attention }) => attention))),
    decisions: countBy(flows.flatMap(({ decisions }) => decisions)),
    /** Seconds from the loss to the end of the hold. */
    heldSeconds,
    /** Rows that a second `reconcile --yes` wrote. */
    secondReconcile,
    cuts: disturbed.cuts,
  };
  await stopAll();
  await cluster.stop();
  rmSync(root, { recursive: true, force: true });
  const zeros = { ...figures, doubles: books.doubles.length, notEnded: notEnded.length };
  const broken = notZero(zeros, ['doubles', 'notEnded', 'secondReconcile', 'openAtEnd']);
  return { figures, problems: [], broken };
}

/** Half of the flows begin before the database begins to lose commits, half before the loss. */
async function playDrill(
  drill: Drill,
  say: (text: string) => void,
): Promise<{ readonly flows: readonly Flow[]; readonly heldSeconds: number | null }> {
  const { options, world, cluster } = drill;
  const orders = await planFlows(world, { count: options.flows, first: 1 + (options.seed % 500) * 100 });
  const half = Math.ceil(orders.length / 2);
  await makeTrouble(world);
  const start = (some: typeof orders): Promise<Flow[]> => Promise.all(some.map((order) => world.flows.start(order)));
  const flows = await start(orders.slice(0, half));
  await sleep(FORGOTTEN_FOR_MS);
  await cluster.beginToForget();
  flows.push(...(await start(orders.slice(half))));
  await sleep(FORGOTTEN_FOR_MS);
  say(`${options.way}: the database forgets`);
  const forgottenAtMs = Date.now();
  const lostJournal = await forget(drill);
  const releasing = whenReleased(drill, lostJournal);
  await world.flows.ended(flows, GIVE_UP_AFTER_MS);
  const releasedAtMs = await releasing;
  const heldSeconds = releasedAtMs === null ? null : Math.round((releasedAtMs - forgottenAtMs) / 1_000);
  return { flows, heldSeconds };
}

/** Some calls are answered slowly, some are charged and never answered, so that every phase occurs. */
async function makeTrouble({ service }: World): Promise<void> {
  for (const operation of ['getCase', 'requestRefresh', 'searchTerm', 'listLawyerCases']) {
    await service.arm({ operation, fault: 'F7', ms: 1_500, times: 4, after: 1 });
    await service.arm({ operation, fault: 'F4', times: 1, after: 2 });
  }
  await service.arm({ operation: 'getRefreshStatus', fault: 'status', status: 503, times: 3 });
}

/** Returns the id of the journal that was lost with its folder. */
async function forget({ cluster, wire, workers, options, root, envOf }: Drill): Promise<string | undefined> {
  const lost = options.losesFolder ? await onServer(cluster, journalOfA) : undefined;
  if (options.way !== 'row') wire.lead(undefined);
  await workers[0]?.kill();
  await cluster.forget();
  if (options.losesFolder) rmSync(join(root, 'files-a'), { recursive: true, force: true });
  wire.lead(new URL(cluster.url()).host);
  workers[0] = await startWorkerProcess(envOf('a'));
  return lost;
}

async function journalOfA(db: Database): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select journal_id as id from tramita.ledger_journal where label like '%/files-a/%'`.execute(db);
  if (rows[0] === undefined) throw new Error('worker a has no journal');
  return rows[0].id;
}

/**
 * A person releases the hold without a journal whose folder is lost, with the command, which reads the histories first. Null:
 * the ledger was never held, or not released in time.
 */
function whenReleased({ cluster, envOf }: Drill, lostJournal: string | undefined): Promise<number | null> {
  return onServer(cluster, async (db) => {
    const untilMs = Date.now() + GIVE_UP_AFTER_MS;
    let wasHeld = false;
    for (let polls = 0; Date.now() < untilMs; polls += 1) {
      const { rows } = await sql<{
        held: boolean;
      }>`select held_since is not null as held from tramita.ledger_life`.execute(db);
      const isHeld = rows[0]?.held === true;
      if (wasHeld && !isHeld) return Date.now();
      if (!wasHeld && polls > NEVER_HELD_POLLS) return null;
      wasHeld ||= isHeld;
      if (lostJournal !== undefined && isHeld && polls >= DISMISS_POLLS) {
        // The command refuses until the other worker has reported that journal, and exits with code 3 while other journals
        // have not been heard. So it is tried again.
        await reconcile(envOf('b'), ['--without', lostJournal, '--by', 'soak']).catch(() => undefined);
      }
      await sleep(HOLD_POLL_EVERY_MS);
    }
    return null;
  });
}

/** Returns how many rows it wrote. */
async function reconcile(env: Readonly<Record<string, string>>, more: readonly string[] = []): Promise<number> {
  const args = ['ledger', 'reconcile', '--yes', ...more];
  const { rows } = await runCommand<{ readonly rows: readonly unknown[] }>(env, args);
  return rows.length;
}

/** The rows show what was restored; the service shows what was paid twice, whatever the ledger still knows. */
async function readBooks({ world, cluster }: Drill) {
  const charges = (await world.service.charges()).filter(({ reason }) => reason !== 'recurring');
  const ledger = await onServer(cluster, (db) => readRows({ db, config: world.config }));
  const findings = auditBooks({
    ledger,
    book: charges,
    asked: await readAsked(world, charges),
    decisionsAreTrue: true,
    subjectOf: { row: ({ workflowId }) => workflowId, charge: ({ about = '' }) => about },
  });
  const lost = ledger.flatMap(({ evidence }) => (evidence?.['lost'] === undefined ? [] : [evidence['witness']]));
  return {
    charges: charges.length,
    /** Calls that the service charged more than once. */
    doubles: findings.filter(({ kind }) => kind === 'paid twice').map(({ text }) => text),
    /** Rows that were restored, by witness. */
    restored: countBy(lost.map(String)),
    openAtEnd: ledger.filter(({ state }) => state === 'open').length,
  };
}

/** Expected purchases: each call once; page 1 of a lawyer's list once more for each `resume` of its import, as documented. */
async function readAsked({ flows }: World, charges: readonly Charge[]): Promise<ReadonlyMap<string, number>> {
  const asked = new Map<string, number>();
  for (const { type, workflowId, owns, decisions } of flows.all()) {
    const resumed = type === 'importLawyerCases' ? decisions.filter((decision) => decision === 'resume').length : 0;
    for (const charge of resumed === 0 ? [] : charges) {
      const step = { workflowId, step: '', operation: charge.operation };
      const isOwn = await owns?.(charge, step, undefined);
      if (isOwn === true) asked.set(`${charge.operation} ${charge.about}`, 1 + resumed);
    }
  }
  return asked;
}

/** Connects to the current server directly, not through the wire. */
async function onServer<T>(cluster: ForgetfulCluster, act: (db: Database) => Promise<T>): Promise<T> {
  const db = connect({ url: cluster.url(), applicationName: 'tramita drill', max: 1 });
  try {
    return await act(db);
  } finally {
    await db.destroy();
  }
}

function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
