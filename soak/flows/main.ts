/**
 * `npm run soak:flows -- --points N --seed S [--flow NAME]`: every flow, killed in its middle by SIGKILL of its worker, ends as
 * it does undisturbed and pays the same. Ends with one JSON line; exit code 1 when a figure that must be zero is not.
 */
import { Command } from 'commander';
import { withShutdown } from '../../src/local/index.js';
import { WORKFLOW_TYPES, type WorkflowType } from '../../src/protocol/index.js';
import { isBroken } from './report.js';
import { runFlows } from './run-flows.js';
import { openStage } from './stage.js';

const wholeNumber = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`tramita: expected a whole number, got "${text.slice(0, 20)}"`);
  return Number(text);
};
const flowName = (text: string, before: readonly WorkflowType[] = []): readonly WorkflowType[] => {
  const type = WORKFLOW_TYPES.find((each) => each === text);
  if (type === undefined) throw new Error(`tramita: --flow must be one of ${WORKFLOW_TYPES.join(', ')}`);
  return [...before, type];
};

async function main(): Promise<void> {
  const { points, seed, flow } = new Command('soak:flows')
    .option('--points <n>', 'kills that each flow has to meet', wholeNumber, 10)
    .option('--seed <n>', 'the same seed plans the same kills', wholeNumber, Math.floor(Date.now() / 1_000) % 1_000_000)
    .option('--flow <name>', 'only this one; may be given again', flowName)
    .parse()
    .opts<{ points: number; seed: number; flow?: readonly WorkflowType[] }>();
  const types = flow ?? WORKFLOW_TYPES;
  const verdict = { broken: true };
  await withShutdown({
    onProgress: () => undefined,
    body: async (shutdown) => {
      const say = (text: string): void => void process.stderr.write(`soak:flows: ${text}\n`);
      say(`seed ${seed}, ${types.length} flows, ${points} points each`);
      const { figures, problems, table } = await runFlows(await openStage(shutdown), { points, seed, types }, say);
      process.stdout.write(`${table}\n`);
      for (const { kind, text } of problems.slice(0, 50)) process.stdout.write(`PROBLEM ${kind}: ${text}\n`);
      process.stdout.write(`${JSON.stringify(figures)}\n`);
      verdict.broken = isBroken(figures);
    },
  });
  process.exitCode = verdict.broken ? 1 : 0;
}

void main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : 'soak:flows failed'}\n`);
  process.exitCode = 1;
});
