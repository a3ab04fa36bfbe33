/** What a soak is told on the command line: how much of everything, and the seed that makes two runs draw the same calls. Pure. */
import { parseArgs } from 'node:util';

export interface SoakSettings {
  /** Faulted charged calls of the matrix, at least. */
  readonly calls: number;
  /** Worker processes killed with SIGKILL around a send. */
  readonly kills: number;
  /** Worker processes frozen with SIGSTOP and thawed after their deadlines. */
  readonly pauses: number;
  /** Restarts of Temporal and of PostgreSQL (each), with cut networks in between. */
  readonly restarts: number;
  /** Calls whose service hangs or drips for longer than any patience (45 s each, in parallel), per operation. */
  readonly slow: number;
  readonly workers: number;
  readonly seed: number;
  /** Only these operations and faults; all when empty. */
  readonly operations: readonly string[];
  readonly faults: readonly string[];
}

const NUMBERS = { calls: 5_000, kills: 0, pauses: 0, restarts: 0, slow: 1, workers: 2, seed: 1 } as const;

export const USAGE = `usage: soak [${Object.entries(NUMBERS)
  .map(([name, value]) => `--${name} ${value}`)
  .join(' ')}] [--operations a,b] [--faults F4,F9]`;

/** @throws an error with the usage when something is not understood. */
export function parseSoakSettings(argv: readonly string[]): SoakSettings {
  const options = { operations: { type: 'string' }, faults: { type: 'string' } } as const;
  const numbers = Object.fromEntries(Object.keys(NUMBERS).map((name) => [name, { type: 'string' as const }]));
  const { values } = parseArgs({ args: [...argv], options: { ...options, ...numbers } });
  const given = values as Readonly<Record<string, string | undefined>>;
  const list = (text: string | undefined): readonly string[] => (text ?? '').split(',').filter((each) => each !== '');
  const read = (name: keyof typeof NUMBERS): number => {
    const text = given[name] ?? String(NUMBERS[name]);
    if (!/^\d{1,7}$/.test(text))
      throw new Error(`tramita: --${name}: seen "${text}"; expected a whole number. ${USAGE}`);
    return Number(text);
  };
  return {
    calls: read('calls'),
    kills: read('kills'),
    pauses: read('pauses'),
    restarts: read('restarts'),
    slow: read('slow'),
    workers: Math.max(1, read('workers')),
    seed: read('seed'),
    operations: list(given['operations']),
    faults: list(given['faults']),
  };
}
