/** How every soak tells what it has found: a table and problems for people, and as the last line its figures as JSON. */
import { execFileSync } from 'node:child_process';
import { packageRoot } from '../src/local/index.js';

export interface Report {
  /** For machines. */
  readonly figures: Readonly<Record<string, unknown>>;
  readonly table?: string;
  /** Sentences. */
  readonly problems: readonly string[];
  /** What must hold and does not, in the figures; empty when the soak has passed. */
  readonly broken: readonly string[];
}

const MOST_PROBLEMS = 50;

/** What must be zero and is not. */
export function notZero<Name extends string>(
  figures: Readonly<Record<Name, number>>,
  names: readonly Name[],
): readonly string[] {
  return names.filter((name) => figures[name] !== 0).map((name) => `${name} is ${figures[name]}, not 0`);
}

/** The figures are printed with what every soak has in common. */
export function printReport(
  { figures, table, problems, broken }: Report,
  common: { readonly seed?: number; readonly startedMs?: number } = {},
): void {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  if (table !== undefined && table !== '') say(table);
  for (const text of problems.slice(0, MOST_PROBLEMS)) say(`PROBLEM ${text}`);
  for (const text of broken) say(`BROKEN ${text}`);
  const { startedMs, ...rest } = common;
  const seconds = startedMs === undefined ? {} : { seconds: Math.round((Date.now() - startedMs) / 1_000) };
  say(JSON.stringify({ ...figures, ...rest, commit: commitOf(), ...seconds }));
}

/** Which version the run was made with: of the checked-out tree, marked with `+` where it has changes. */
export function commitOf(): string {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', packageRoot(), ...args], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : '+'}`;
  } catch {
    return 'unknown';
  }
}
