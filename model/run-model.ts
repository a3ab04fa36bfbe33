/** All explorations, two at a time: the rules in every world, then each defect. */
import { present } from '../src/contract/index.js';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DEFECTS, DEFECT_NAMES, type Defect, type DefectTerms } from './defects.js';
import { describeRun, type ModelFigures } from './report.js';
import type { Run, Task } from './run-one.js';
import { WORLDS } from './worlds.js';

export interface ModelOptions {
  /** Besides all courses with one mishap: courses with this many, limited to `depth` moves. */
  readonly mishaps: number;
  /** Moves from the start; Infinity: everything reachable. */
  readonly depth: number;
  readonly only?: Defect;
  readonly defects: boolean;
}

const AT_ONCE = 2;
/** For defects that do not set their own depth. */
const DEFECT_DEPTH = 16;

export async function runModel(options: ModelOptions): Promise<ModelFigures> {
  const startedAtMs = Date.now();
  const rules = await runAll(options.only === undefined ? rulesOf(options) : []);
  const defects = await runAll(options.defects ? defectsOf(options) : []);
  const sum = (count: (run: Run) => number): number => rules.reduce((total, run) => total + count(run), 0);
  return {
    states: sum(({ states }) => states),
    transitions: sum(({ transitions }) => transitions),
    depth: Math.max(0, ...rules.map(({ depth }) => depth)),
    wholeWorlds: rules.filter(({ whole }) => whole).length,
    broken: rules.filter(({ broken }) => broken !== undefined).length,
    defects: defects.length,
    defectsFound: defects.filter(({ broken }) => broken !== undefined).length,
    seconds: Math.round((Date.now() - startedAtMs) / 1_000),
    memoryMb: Math.round(process.resourceUsage().maxRSS / 1_024),
  };
}

function rulesOf({ mishaps, depth }: ModelOptions): readonly Task[] {
  const all = WORLDS.map(({ title }, world) => ({
    title: `the rules, ${title}, one mishap`,
    worlds: [world],
    mishaps: 1,
  }));
  if (mishaps < 2) return all;
  const deep = WORLDS.map(({ title }, world) => ({
    title: `the rules, ${title}, ${mishaps} mishaps`,
    worlds: [world],
    mishaps,
    ...present({ depth: depth === Infinity ? undefined : depth }),
  }));
  return [...all, ...deep];
}

function defectsOf({ only }: ModelOptions): readonly Task[] {
  return DEFECT_NAMES.filter((name) => only === undefined || name === only).map((defect) => {
    const { mishaps, depth }: DefectTerms = DEFECTS[defect];
    const worlds = depth === undefined ? WORLDS.map((_, world) => world) : [0];
    return { title: `defect: ${defect}`, defect, worlds, mishaps, depth: depth ?? DEFECT_DEPTH };
  });
}

async function runAll(tasks: readonly Task[]): Promise<readonly Run[]> {
  const waiting = [...tasks];
  const runs: Run[] = [];
  const work = async (): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      const run = await inThread(task);
      process.stdout.write(describeRun(run));
      runs.push(run);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return runs;
}

function inThread(task: Task): Promise<Run> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(join(__dirname, 'run-one.js'), { workerData: task });
    thread.once('message', resolve);
    thread.once('error', reject);
  });
}
