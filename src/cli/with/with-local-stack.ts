/**
 * A local stack for one command: brought up, used, and always stopped. Progress goes to stdout, or to stderr if stdout is
 * for machines.
 */
import type { LocalStack, OnProgress, Shutdown } from '../../local/index.js';
import type { CliContext } from '../context.js';
import { EXIT, failure, type ExitCode } from '../exit-codes.js';
import { colors, createStatusLine } from '../output/output.js';

export interface StackUse {
  readonly exitCode: ExitCode;
  /** Leave the stack up until Ctrl-C. */
  readonly keep: boolean;
}

export const ENCRYPTED_OPTION = [
  '--encrypted',
  'encrypt payloads with a key in .tramita/secrets/; a codec server decrypts them in the UI for people with its token',
] as const;

export async function withLocalStack(
  context: CliContext,
  { json, encrypted }: { readonly json: boolean; readonly encrypted: boolean },
  use: (stack: LocalStack, shutdown: Shutdown) => Promise<StackUse>,
): Promise<ExitCode> {
  const { startStack, withShutdown } = await import('../../local/index.js');
  const onProgress = createProgressPrinter(context, json);
  let keptExitCode: ExitCode | undefined;
  const result = await withShutdown({
    onProgress,
    body: async (shutdown) => {
      const stack = await startStack({ root: context.cwd, env: context.env, onProgress, shutdown, encrypted });
      const { exitCode, keep } = await use(stack, shutdown);
      if (keep) {
        keptExitCode = exitCode;
        await shutdown.requested;
      }
      return exitCode;
    },
  });
  if (result.ended === 'done') return result.value;
  for (const problem of result.problems) context.err(`${problem}\n`);
  if (result.signal === undefined) throw failure(result.why);
  return keptExitCode ?? EXIT.failed;
}

function createProgressPrinter(context: CliContext, json: boolean): OnProgress {
  const paint = colors(context);
  const status = createStatusLine(context);
  const print = json ? context.err : context.out;
  return ({ about, kind, text }) => {
    const line = `${about.padEnd(8)} ${text}`;
    if (kind === 'tick') {
      if (context.isTerminal) status.show(line);
      return;
    }
    status.clear();
    print(`${paint.dim(line)}\n`);
  };
}
