/**
 * What a command may use of its process: environment, working folder and output streams. `main.ts` and tests supply it, so
 * commands neither read globals nor end the process. Results go to `out`, everything else (logs, progress) to `err`.
 */
import type { Env } from '../config/index.js';
import type { ExitCode } from './exit-codes.js';

export interface CliContext {
  readonly env: Env;
  readonly cwd: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Resolves when a slow reader has caught up. Endless output awaits it, so that memory does not fill. */
  readonly drained?: () => Promise<void>;
  /** Standard error is a terminal: colours are used, and status lines are overwritten. */
  readonly isTerminal: boolean;
}

/** What a command registers itself with. `run` turns its body into commander's action; no exit code means `EXIT.ok`. */
export interface CommandSetup {
  readonly context: CliContext;
  readonly run: <Args extends unknown[]>(
    body: (...args: Args) => Promise<ExitCode> | Promise<void>,
  ) => (...args: Args) => Promise<void>;
}
