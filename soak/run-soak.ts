/** One soak: the fault matrix, with kills and pauses beside it, then the books. */
import { OPERATIONS, withExtraOperations } from '../src/contract/index.js';
import { createLedger, toLedgerRow } from '../src/ledger/index.js';
import { auditSoak, type Problem } from './audit.js';
import { commitOf } from './commit.js';
import { openPool, supervise, sweepCuts, sweepFailovers, sweepKills, sweepPauses, sweepRestarts } from './disturb.js';
import { driveCalls } from './drive.js';
import { planCalls } from './plan.js';
import { buildFigures, faultTable, type SoakFigures } from './report.js';
import type { ForgetfulCluster } from './forget/cluster.js';
import type { Servers } from './servers.js';
import type { EndedCall, SoakOptions } from './types.js';
import type { Proxy } from './wire.js';
import type { World } from './world.js';

export interface SoakResult {
  readonly figures: SoakFigures;
  readonly problems: readonly Problem[];
  readonly table: string;
}

/** Given where servers are to be restarted or wires to be cut. */
export interface Surroundings {
  readonly servers?: Pick<Servers, 'restartTemporal' | 'restartPostgres'>;
  readonly wires?: readonly Pick<Proxy, 'dropAll'>[];
  /** A database that forgets, and the wire to it. */
  readonly forgetful?: { readonly cluster: ForgetfulCluster; readonly wire: Pick<Proxy, 'lead'> };
}

export async function runSoak(
  world: World,
  options: SoakOptions,
  say: (text: string) => void,
  { servers, wires = [], forgetful }: Surroundings = {},
): Promise<SoakResult> {
  const startedMs = Date.now();
  const calls = planCalls(options);
  const pool = await openPool(world, calls.length === 0 ? 0 : options.pauses > 0 ? 3 : 2);
  const over = new AbortController();
  let ended: readonly EndedCall[];
  let disturbed: readonly [number, number, number, number, number, number];
  try {
    const driving = driveCalls(world, calls, {
      concurrency: options.concurrency,
      onEnd: (_end, count) => {
        if (count % 50 === 0 || count === calls.length) say(`${count}/${calls.length} calls`);
      },
    }).finally(() => over.abort());
    // Disturbances begin when calls are under way, and end with them.
    const kills = sweepKills(world, pool, options, over.signal);
    const pauses = sweepPauses(pool, options, over.signal);
    const restarts = servers === undefined ? Promise.resolve(0) : sweepRestarts(servers, options, over.signal);
    const cuts = wires.length === 0 ? Promise.resolve(0) : sweepCuts(wires, options, over.signal);
    const failovers = forgetful === undefined ? Promise.resolve(0) : sweepFailovers(forgetful, options, over.signal);
    const lost = supervise(world, pool, over.signal);
    ended = await driving;
    disturbed = await Promise.all([kills, pauses, restarts, cuts, lost, failovers]);
  } finally {
    over.abort();
    await pool.stop();
  }
  const ledger = await ledgerRows(world);
  const books = { ended, ledger, book: await world.charges(), requests: await world.requests() };
  const problems = auditSoak(books);
  const fired = await firedFaults(world);
  const [kills, pauses, restarts, cuts, workersLost, failovers] = disturbed;
  const figures = buildFigures({
    ...{ ended, problems, kills, pauses, restarts, cuts, failovers, workersLost, options },
    fired: [...fired.values()].reduce((sum, count) => sum + count, 0),
    evidence: ledger.filter(({ evidence }) => decidedByEvidence(evidence)).length,
    commit: commitOf(),
    seconds: Math.round((Date.now() - startedMs) / 1_000),
  });
  return { figures, problems, table: faultTable(ended, problems, fired) };
}

export async function ledgerRows(world: World): Promise<ReturnType<typeof toLedgerRow>[]> {
  const ledger = createLedger({
    db: world.db,
    token: world.token,
    clock: Date.now,
    settings: { accounts: {}, prices: world.config.prices },
    catalogue: withExtraOperations(OPERATIONS, []),
    gaps: world.config.gaps,
  });
  return (await ledger.list({ limit: 1_000_000 })).map(toLedgerRow);
}

function decidedByEvidence(evidence: unknown): boolean {
  const { adopted, proof, by } = (evidence ?? {}) as Readonly<Record<string, unknown>>;
  return adopted !== undefined || proof === 'listing' || proof === 'balance' || by === 'tramita (evidence)';
}

async function firedFaults(world: World): Promise<ReadonlyMap<string, number>> {
  const { faults } = await world.control<{ faults: { fault: string; fired: number }[] }>('/faults');
  const fired = new Map<string, number>();
  for (const { fault, fired: times } of faults) fired.set(fault, (fired.get(fault) ?? 0) + times);
  return fired;
}
