/**
 * `npm run soak -- --calls N --kills K --pauses P --seed S`: the fault matrix against real servers and real worker processes,
 * with workers killed and frozen meanwhile. Ends with one JSON line; exit code 1 when a figure that must be zero is not.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { withShutdown, type Shutdown } from '../src/local/index.js';
import { openCluster, type ForgetfulCluster } from './forget/cluster.js';
import { runPortfolio } from './portfolio/index.js';
import { isBroken } from './report.js';
import { runSoak, type Surroundings } from './run-soak.js';
import { startServers } from './servers.js';
import { createProxy } from './wire.js';
import { openWorld, type WorldOptions } from './world.js';

const whole = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`tramita: expected a whole number, got "${text.slice(0, 20)}"`);
  return Number(text);
};

async function main(): Promise<void> {
  const command = new Command('soak')
    .option('--calls <n>', 'charged calls, most of them with a fault', whole, 500)
    .option('--kills <n>', 'workers killed with SIGKILL', whole, 10)
    .option('--pauses <n>', 'workers frozen with SIGSTOP, past the deadlines', whole, 3)
    .option('--restarts <n>', 'Temporal and PostgreSQL, by turns, killed with SIGKILL and started again', whole, 0)
    .option('--cuts <n>', 'all connections of the workers to one of them reset, by turns', whole, 0)
    .option('--failovers <n>', 'the database fails over to a replica that lacks the last commits', whole, 0)
    .option('--seed <n>', 'the same seed plans the same soak', whole, Math.floor(Date.now() / 1_000) % 1_000_000)
    .option('--concurrency <n>', 'flows at the same time', whole, 24)
    .option(
      '--portfolio <n>',
      'first a portfolio of so many cases, its worker killed twice; with --calls 0 alone',
      whole,
      0,
    )
    .option('--refreshed <n>', 'cases of the portfolio that its cap pays for', whole, 500)
    .option('--portfolio-kills <n>', 'times that the worker of the portfolio is killed', whole, 2)
    .option('--quiet-kills', 'only while none of its charged calls is on the wire', false)
    .option('--exclusive', 'an account whose balance is evidence', false)
    .parse();
  const options = command.opts<{
    calls: number;
    kills: number;
    pauses: number;
    restarts: number;
    cuts: number;
    failovers: number;
    portfolio: number;
    refreshed: number;
    portfolioKills: number;
    quietKills: boolean;
    seed: number;
    concurrency: number;
    exclusive: boolean;
  }>();
  const verdict = { broken: false };
  await withShutdown({
    onProgress: () => undefined,
    body: async (shutdown) => {
      const account = options.exclusive ? { exclusive: true, debitAt: 'answer', refunds: 'never' } : {};
      const isDisturbed = options.restarts + options.cuts + options.failovers > 0;
      const around = isDisturbed ? await openSurroundings(shutdown, options) : undefined;
      const world = await openWorld(shutdown, { account, ...around?.world });
      const say = (text: string): void => void process.stderr.write(`soak: ${text}\n`);
      // Without calls there is nothing to disturb.
      const plan =
        options.calls === 0 ? { ...options, kills: 0, pauses: 0, restarts: 0, cuts: 0, failovers: 0 } : options;
      const { seed, calls, kills, pauses, restarts, cuts, failovers } = plan;
      say(
        `seed ${seed}, ${calls} calls, ${kills} kills, ${pauses} pauses, ${restarts} restarts, ${cuts} cuts, ${failovers} fail-overs`,
      );
      const portfolio =
        options.portfolio === 0
          ? undefined
          : await runPortfolio(
              world,
              {
                ...{ cases: options.portfolio, refreshed: options.refreshed, concurrency: options.concurrency, seed },
                ...{ kills: options.portfolioKills, quietKills: options.quietKills },
              },
              say,
            );
      const { figures, problems, table } = await runSoak(world, plan, say, around);
      process.stdout.write(`${table}\n`);
      for (const { kind, text } of problems.slice(0, 50)) process.stdout.write(`PROBLEM ${kind}: ${text}\n`);
      for (const text of portfolio?.problems ?? []) process.stdout.write(`PROBLEM portfolio: ${text}\n`);
      process.stdout.write(
        `${JSON.stringify({ ...figures, ...(portfolio === undefined ? {} : { portfolio: portfolio.figures }) })}\n`,
      );
      verdict.broken = isBroken(figures) || (portfolio?.problems.length ?? 0) > 0;
    },
  });
  process.exitCode = verdict.broken ? 1 : 0;
}

/** Servers of the soak's own, and wires to them that can be cut or led elsewhere. */
async function openSurroundings(
  shutdown: Shutdown,
  { failovers }: { readonly failovers: number },
): Promise<Surroundings & { readonly world: WorldOptions }> {
  const servers = await startServers();
  shutdown.add({ name: 'servers', stop: () => servers.stop() });
  const cluster = failovers > 0 ? await openReplicated(shutdown) : undefined;
  const databaseUrl = cluster?.url() ?? servers.databaseUrl;
  const temporal = await createProxy(servers.temporalAddress);
  const postgres = await createProxy(new URL(databaseUrl).host);
  const wires = [temporal, postgres];
  const closeAll = async (): Promise<void> => {
    for (const wire of wires) await wire.close();
  };
  shutdown.add({ name: 'wires', stop: closeAll });
  const addresses = { temporal: temporal.address, postgres: postgres.address };
  if (cluster === undefined) return { servers, wires, world: { servers, wires: addresses } };
  // The books are read through the wire as well: they are where the last fail-over has led to.
  const throughWire = new URL(databaseUrl);
  throughWire.host = postgres.address;
  const restartTemporal = (): Promise<void> => servers.restartTemporal();
  return {
    ...{ wires, forgetful: { cluster, wire: postgres } },
    servers: { restartTemporal, restartPostgres: restartTemporal },
    world: { servers, wires: addresses, databaseUrl: throughWire.href },
  };
}

async function openReplicated(shutdown: Shutdown): Promise<ForgetfulCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'tramita-soak-replicated-'));
  const cluster = await openCluster(folder, 'replica');
  shutdown.add({
    name: 'replicated database',
    stop: async () => {
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  });
  return cluster;
}

void main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : 'soak failed'}\n`);
  process.exitCode = 1;
});
