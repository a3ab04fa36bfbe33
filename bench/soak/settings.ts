/** What a soak is told on the command line: how much of everything, and the seed that makes two runs draw the same calls. Pure. */
import { parseArgs } from 'node:util';

export interface SoakSettings {
  /** Faulted charged calls of the matrix, at least. */
  readonly calls: number;
  /** Calls whose service hangs or drips for longer than any patience (45 s each, in parallel), per operation. */
  readonly slow: number;
  readonly workers: number;
  readonly seed: number;
  /** Only these operations and faults; all when empty. */
  readonly operations: readonly string[];
  readonly faults: readonly string[];
}

const NUMBERS = { calls: 5_000, slow: 1, workers: 2, seed: 1 } as const;

const USAGE = `usage: soak:matrix [${Object.entries(NUMBERS)
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
    slow: read('slow'),
    workers: Math.max(1, read('workers')),
    seed: read('seed'),
    operations: list(given['operations']),
    faults: list(given['faults']),
  };
}
