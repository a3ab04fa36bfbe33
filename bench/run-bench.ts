/**
 * How a bench reports its result: lines for people on stderr, one line of JSON on stdout, and its exit code: 0 when all
 * targets are met, 1 when one is missed, 2 when it could not be measured.
 */
import type { ChildProcess } from 'node:child_process';
import { withShutdown, type Shutdown } from '../src/local/index.js';
import { keepRatios } from './keep-ratios.js';

export interface BenchResult {
  /** Figures by name; fractions are printed with three decimal places. */
  readonly summary: object;
  /** Our figure ÷ that of the baseline, by what is compared: printed, and stored by `keep-ratios.ts`. */
  readonly ratios?: Readonly<Record<string, number>>;
  /** One sentence for each target that was missed. */
  readonly missed: readonly string[];
}

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function runBench(name: string, measure: () => Promise<BenchResult>): void {
  measure().then(
    ({ summary, ratios = {}, missed }) => {
      for (const [what, ratio] of Object.entries(ratios)) say(`${what}: ${ratio.toFixed(2)}`);
      keepRatios(ratios);
      for (const text of missed) say(`MISSED: ${text}`);
      process.stdout.write(`${JSON.stringify({ bench: name, ...summary, ratios, missed }, rounded)}\n`);
      process.exit(missed.length === 0 ? 0 : 1);
    },
    (error: unknown) => {
      const { message = String(error), cause } = error as Partial<Error>;
      say(cause instanceof Error ? `${message}: ${cause.message}` : message);
      process.exit(2);
    },
  );
}

/** The same, with servers and programs that are stopped at its end. */
export function runInShutdown(name: string, measure: (shutdown: Shutdown) => Promise<BenchResult>): void {
  runBench(name, async () => {
    const result = await withShutdown({ onProgress: () => undefined, body: measure });
    if (result.ended === 'requested') throw new Error(`bench: ended by ${result.why}`);
    return result.value;
  });
}

function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Math.round(value * 1_000) / 1_000 : value;
}

export async function timed<T>(run: () => Promise<T>): Promise<{ readonly value: T; readonly seconds: number }> {
  const startedMs = performance.now();
  const value = await run();
  return { value, seconds: (performance.now() - startedMs) / 1_000 };
}

/** The next message of a forked process; rejects when the process ends first. */
export function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = (code: number | null): void => reject(new Error(`bench: a forked process ended with ${String(code)}`));
    child.once('exit', end);
    child.once('message', (message) => {
      child.off('exit', end);
      resolve(message);
    });
  });
}
