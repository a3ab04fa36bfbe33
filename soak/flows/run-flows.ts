/** The whole proof: waves of flows with their kills, then each killed run beside its twin. */
import { readRows } from '../books.js';
import type { Report } from '../report.js';
import { chargesOfRun, rowsOfRun } from './charges.js';
import { reportFlows } from './figures.js';
import { judge, type Problem } from './judge.js';
import type { Stage } from './stage.js';
import { runWaves, type WaveOptions } from './waves.js';

export async function runFlows(stage: Stage, options: WaveOptions, say: (text: string) => void): Promise<Report> {
  const { pairs, kills } = await runWaves(stage, options, say);
  const { undisturbed, killed } = stage.services;
  const ledger = await readRows(stage.world);
  const [calmBook, book] = [await undisturbed.charges(), await killed.charges()];
  const reached = (await killed.received()).flatMap(({ charge, at }) =>
    charge === null ? [] : [[charge, Date.parse(at)] as const],
  );
  const owned = new Set<number>();
  const judged = pairs.map((pair) => {
    const paid = chargesOfRun(pair.undisturbed, ledger, calmBook);
    const abouts = new Set(paid.map(({ about }) => about));
    const charges = book.filter(({ about }) => abouts.has(about));
    for (const { n } of charges) owned.add(n);
    const rows = rowsOfRun(pair.killed.workflowIds, ledger);
    return { pair, verdict: judge(pair, { undisturbed: paid, killed: charges, rows, reachedAtMs: new Map(reached) }) };
  });
  // Charges that the undisturbed twin did not have.
  const foreign = new Set(pairs.map((pair) => pair.killed.foreignRequest));
  const strangers = book
    .filter(({ n, requestId }) => !owned.has(n) && (requestId === null || !foreign.has(requestId)))
    .map(({ n, operation }): Problem => ({
      kind: 'different charges',
      text: `charge ${n} of ${operation} belongs to no case`,
    }));
  const problems = [...judged.flatMap(({ verdict }) => verdict.problems), ...strangers];
  const { points, types } = options;
  return reportFlows(judged, problems, { points, types, kills: kills.length });
}
