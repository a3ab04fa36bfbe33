/**
 * What a command may touch of its process: environment, folder, the two streams. Given by `main.ts` and by tests, so that
 * commands neither read globals nor end the process. Results go to `out`, everything else (logs, progress) to `err`.
 */
import type { Env } from '../config/index.js';
import type { ExitCode } from './exit-codes.js';

export interface CliContext {
  readonly env: Env;
  readonly cwd: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** When a slow reader has caught up: what prints without end waits for it, so that memory does not fill. */
  readonly drained?: () => Promise<void>;
  /** A person looks at it: colours, and lines that are overwritten. */
  readonly isTerminal: boolean;
}

/** What commands are registered with: `run` turns a body into commander's action. Without an exit code it has gone well. */
export interface CommandSetup {
  readonly context: CliContext;
  readonly run: <Args extends unknown[]>(
    body: (...args: Args) => Promise<ExitCode> | Promise<void>,
  ) => (...args: Args) => Promise<void>;
}
