/** How every soak reports its result: a table and problems for people, and its figures as JSON in the last line. */
import { execFileSync } from 'node:child_process';
import { packageRoot } from '../src/local/index.js';

export interface Report {
  /** Figures for machines. */
  readonly figures: Readonly<Record<string, unknown>>;
  readonly table?: string;
  /** One sentence for each problem. */
  readonly problems: readonly string[];
  /** Figures that violate a requirement; empty when the soak has passed. */
  readonly broken: readonly string[];
}

const MOST_PROBLEMS = 50;

/** Figures that must be zero and are not. */
export function notZero<Name extends string>(
  figures: Readonly<Record<Name, number>>,
  names: readonly Name[],
): readonly string[] {
  return names.filter((name) => figures[name] !== 0).map((name) => `${name} is ${figures[name]}, not 0`);
}

/** Prints the figures with what every soak has in common. */
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

/** The version of the checked-out tree, marked with `+` when it has changes. */
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
