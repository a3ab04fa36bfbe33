/**
 * `npm run soak:forget -- --ways replica,dump,pitr,empty,row --flows 44`: real databases that forget under running flows.
 * One JSON line for each drill; exit code 1 when anything was paid twice, did not end, or came back twice.
 */
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { withShutdown } from '../../src/local/index.js';
import { commitOf } from '../commit.js';
import type { Way } from './cluster.js';
import { runDrill, type DrillFigures } from './drill.js';

const WAYS: readonly Way[] = ['replica', 'dump', 'pitr', 'empty', 'row'];
const PG_DUMP = '/usr/lib/postgresql/15/bin/pg_dump';

async function main(): Promise<void> {
  const { ways, flows, seed, folder } = new Command('soak:forget')
    .option('--ways <list>', WAYS.join(', '), WAYS.join(','))
    .option('--flows <n>', 'flows of each drill', Number, 44)
    .option('--seed <n>', 'another one, other cases', Number, Math.floor(Date.now() / 1_000) % 1_000)
    .option('--no-folder', 'leave out the drill that loses a folder as well')
    .parse()
    .opts<{ ways: string; flows: number; seed: number; folder: boolean }>();
  const asked = WAYS.filter((way) => ways.split(',').includes(way));
  const drills = [
    ...asked.map((way) => ({ way, losesFolder: false })),
    ...(folder ? [{ way: 'empty' as const, losesFolder: true }] : []),
  ];
  const say = (text: string): void => void process.stderr.write(`soak: ${text}\n`);
  const figures: DrillFigures[] = [];
  for (const [index, drill] of drills.entries()) {
    if (drill.way === 'dump' && !existsSync(PG_DUMP)) {
      say(`dump: left out, there is no ${PG_DUMP} here`);
      continue;
    }
    await withShutdown({
      onProgress: () => undefined,
      body: async (shutdown) => {
        const found = await runDrill(shutdown, { ...drill, flows, seed: seed + index * 7 }, say);
        process.stdout.write(`${JSON.stringify({ ...found, commit: commitOf() })}\n`);
        figures.push(found);
      },
    });
  }
  process.exitCode = figures.some(isBroken) ? 1 : 0;
}

function isBroken({ doubles, notEnded, secondReconcile, openAtEnd }: DrillFigures): boolean {
  return doubles.length + notEnded.length + secondReconcile + openAtEnd > 0;
}

void main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : 'drill failed'}\n`);
  process.exitCode = 1;
});
