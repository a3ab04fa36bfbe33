/**
 * `npm run model`: explores the small world with all rules kept, then once with each deliberate defect, which it must
 * find. The last line is JSON; exit code 1 when a promise is broken or a defect is not found.
 */
import { present } from '../src/contract/index.js';
import { Command, Option } from 'commander';
import { DEFECT_NAMES, type Defect } from './defects.js';
import { isGood } from './report.js';
import { runModel } from './run-model.js';

interface Options {
  readonly mishaps: number;
  readonly depth: number;
  readonly whole: boolean;
  readonly defect?: Defect;
  readonly defects: boolean;
}

const whole = (text: string): number => {
  if (!/^\d{1,3}$/.test(text)) throw new Error(`tramita: expected a whole number, got "${text.slice(0, 20)}"`);
  return Number(text);
};

async function main(): Promise<void> {
  const command = new Command('model')
    .option('--mishaps <n>', 'mishaps in a run of the deeper search; the complete search has one', whole, 2)
    .option('--depth <n>', 'moves from the start in the deeper search', whole, 15)
    .option('--whole', 'no limit of moves in the deeper search', false)
    .addOption(new Option('--defect <name>', 'only this defect').choices(DEFECT_NAMES))
    .option('--no-defects', 'only the rules as they are')
    .parse();
  const { mishaps, depth, defect, defects, whole: isWhole } = command.opts<Options>();
  const figures = await runModel({
    mishaps,
    defects,
    depth: isWhole ? Infinity : depth,
    ...present({ only: defect }),
  });
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  process.exitCode = isGood(figures) ? 0 : 1;
}

void main();
