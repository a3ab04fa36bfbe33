/** `tramita subject …` as a process of its own, killed with -9 where a test wants it. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../src/local/index.js';
import type { Flows } from '../flows/with-flows.js';

const MAIN = join(packageRoot(), 'dist', 'src', 'cli', 'main.js');
const KILLER = join(__dirname, 'kill-at-line.cjs');
/** Runs that are killed before one comes through. */
export const KILLS = 10;

export interface Ran {
  readonly out: string;
  readonly err: string;
  /** Null: it was killed. */
  readonly code: number | null;
}

const ASKER = ['--by', 'ana', '--reason', 'a request of the person', '--json'];

export interface SubjectCommand {
  /** `killAt`: with its so manieth line of progress. */
  tramita(args: readonly string[], killAt?: number): Promise<Ran>;
  /** Counts by place. */
  find(who: readonly string[]): Promise<Record<string, number>>;
  /** Erased with kills, until one run comes through. */
  eraseKilled(who: readonly string[], most?: number): Promise<{ readonly kills: number; readonly complete: boolean }>;
  /** Who asks, and as JSON. */
  readonly asker: readonly string[];
}

/** `more`: environment on top of that of the flows. */
export function subjectCommand(
  flows: Pick<Flows, 'env'>,
  namespace: string,
  more: () => Readonly<Record<string, string>> = () => ({}),
): SubjectCommand {
  const tramita = (args: readonly string[], killAt = 0): Promise<Ran> => {
    const { PATH = '', HOME = '', TRAMITA_TEST_TEMPORAL_ADDRESS: TEMPORAL_ADDRESS = '' } = process.env;
    const kill = killAt === 0 ? {} : { KILL_AT_LINE: String(killAt), NODE_OPTIONS: `--require ${KILLER}` };
    const env = { PATH, HOME, ...flows.env, ...more(), TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE: namespace, ...kill };
    const child = spawn(process.execPath, [MAIN, 'subject', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    return new Promise((resolve) => child.once('close', (code) => resolve({ out, err, code })));
  };
  const find = async (who: readonly string[]): Promise<Record<string, number>> => {
    const { out, err, code } = await tramita(['find', ...who, ...ASKER]);
    if (code !== 0) throw new Error(err);
    return (JSON.parse(out) as { readonly places: Record<string, number> }).places;
  };

  const eraseKilled = async (
    who: readonly string[],
    most = KILLS,
  ): Promise<{ readonly kills: number; readonly complete: boolean }> => {
    // Two before anything is changed; then each run comes one step further than the one before it.
    for (let kills = 0; ; kills += 1) {
      const killAt = kills < most ? (kills < 2 ? 1 : 2) : 0;
      const { out, err, code } = await tramita(['erase', ...who, ...ASKER, '--yes', '--cancel'], killAt);
      if (code === 0) return { kills, complete: (JSON.parse(out) as { readonly complete: boolean }).complete };
      if (code !== null) throw new Error(err);
    }
  };
  return { tramita, find, eraseKilled, asker: ASKER };
}
