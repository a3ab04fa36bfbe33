/** The whole proof: waves of flows with their kills, then each killed run beside its twin. */
import { commitOf } from '../commit.js';
import { openBooks } from './books.js';
import { judge, type Facts, type Problem } from './judge.js';
import { chargesOfCase, chargesOfRows } from './match.js';
import { buildFigures, flowTable, type FlowFigures, type Judged } from './report.js';
import type { Stage } from './stage.js';
import type { Pair } from './types.js';
import { runWaves, type WaveOptions } from './waves.js';

export interface FlowsResult {
  readonly figures: FlowFigures;
  readonly problems: readonly Problem[];
  readonly table: string;
}

export async function runFlows(stage: Stage, options: WaveOptions, say: (text: string) => void): Promise<FlowsResult> {
  const startedMs = Date.now();
  const { pairs, kills } = await runWaves(stage, options, say);
  const reachedAtMs = await readReached(stage);
  const judged: Judged[] = [];
  const owned = new Set<number>();
  for (const pair of pairs) {
    const facts = { ...(await factsOf(stage, pair)), reachedAtMs };
    judged.push({ pair, verdict: judge(pair, facts) });
    for (const { n } of facts.killed) owned.add(n);
  }
  const problems = [
    ...judged.flatMap(({ verdict }) => verdict.problems),
    ...(await findStrangers(stage, pairs, owned)),
  ];
  const { points, seed, types } = options;
  const seconds = Math.round((Date.now() - startedMs) / 1_000);
  const about = { points, seed, types, seconds, kills: kills.length, commit: commitOf() };
  return { figures: buildFigures(judged, problems, about), problems, table: flowTable(judged, types) };
}

/** Charges of a killed run that its undisturbed twin never had to pay. */
async function findStrangers(
  stage: Stage,
  pairs: readonly Pair[],
  owned: ReadonlySet<number>,
): Promise<readonly Problem[]> {
  const foreign = new Set(pairs.map(({ killed }) => killed.foreignRequest));
  const strange = (await stage.charges('killed')).filter(
    ({ n, requestId }) => !owned.has(n) && (requestId === null || !foreign.has(requestId)),
  );
  return strange.map(({ n, operation }) => ({
    kind: 'different charges',
    text: `charge ${n} of ${operation} belongs to no case`,
  }));
}

async function factsOf(stage: Stage, { undisturbed, killed }: Pair): Promise<Omit<Facts, 'reachedAtMs'>> {
  const books = openBooks(stage, new Set());
  const rows = await books.rows(undisturbed.workflowIds);
  const paid = chargesOfRows(rows, { ...undisturbed, book: await stage.charges('undisturbed') });
  const abouts = new Set(paid.map(({ about }) => about));
  return {
    undisturbed: paid,
    killed: chargesOfCase(abouts, await stage.charges('killed')),
    rows: await books.rows(killed.workflowIds),
  };
}

async function readReached({ world }: Stage): Promise<ReadonlyMap<number, number>> {
  const requests = await world.requests();
  return new Map(requests.flatMap(({ charge, at }) => (charge === null ? [] : [[charge, Date.parse(at)] as const])));
}
