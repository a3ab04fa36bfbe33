/** Runs `tramita subject …` as a process of its own, killed with SIGKILL where a test wants it. */
import { join } from 'node:path';
import type { Flows } from '../flows/with-flows.js';
import { launchTramita } from '../support/launch.js';

const KILLER = join(__dirname, 'kill-at-line.cjs');
/** How many runs are killed before one may finish. */
export const KILLS = 10;

export interface Ran {
  readonly out: string;
  readonly err: string;
  /** Null when it was killed. */
  readonly code: number | null;
}

const REQUESTER = ['--by', 'ana', '--reason', 'a request of the person', '--json'];

export interface SubjectCommand {
  /** `killAt`: the number of the progress line at which it is killed. */
  tramita(args: readonly string[], killAt?: number): Promise<Ran>;
  /** Number of records by place. */
  find(who: readonly string[]): Promise<Record<string, number>>;
  /** Erases with repeated kills (at most `maxKills`) until one run finishes. */
  eraseKilled(
    who: readonly string[],
    maxKills?: number,
  ): Promise<{ readonly kills: number; readonly complete: boolean }>;
  /** Flags that say who asks and why, and ask for JSON. */
  readonly requester: readonly string[];
}

/** `more`: environment on top of that of the flows. */
export function subjectCommand(
  flows: Pick<Flows, 'env'>,
  namespace: string,
  more: () => Readonly<Record<string, string>> = () => ({}),
): SubjectCommand {
  const tramita = async (args: readonly string[], killAt = 0): Promise<Ran> => {
    const { TRAMITA_TEST_TEMPORAL_ADDRESS: TEMPORAL_ADDRESS = '' } = process.env;
    const kill = killAt === 0 ? {} : { KILL_AT_LINE: String(killAt), NODE_OPTIONS: `--require ${KILLER}` };
    const env = { ...flows.env, ...more(), TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE: namespace, ...kill };
    const { out, err, ended } = launchTramita(['subject', ...args], env);
    const code = await ended;
    return { out: out(), err: err(), code };
  };
  const find = async (who: readonly string[]): Promise<Record<string, number>> => {
    const { out, err, code } = await tramita(['find', ...who, ...REQUESTER]);
    if (code !== 0) throw new Error(err);
    return (JSON.parse(out) as { readonly places: Record<string, number> }).places;
  };

  const eraseKilled = async (
    who: readonly string[],
    maxKills = KILLS,
  ): Promise<{ readonly kills: number; readonly complete: boolean }> => {
    // The first two runs are killed before they change anything. Each later run gets one step further.
    for (let kills = 0; ; kills += 1) {
      const killAt = kills < maxKills ? (kills < 2 ? 1 : 2) : 0;
      const { out, err, code } = await tramita(['erase', ...who, ...REQUESTER, '--yes', '--cancel'], killAt);
      if (code === 0) return { kills, complete: (JSON.parse(out) as { readonly complete: boolean }).complete };
      if (code !== null) throw new Error(err);
    }
  };
  return { tramita, find, eraseKilled, requester: REQUESTER };
}
