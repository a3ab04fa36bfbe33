/** Runs one command line in this process with exactly the given environment, and collects its output. */
import { tmpdir } from 'node:os';
import { runCli } from '../../src/cli/program.js';

export interface CommandRun {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
  /** `out` as JSON. Throws if it is not exactly one value. */
  json(): unknown;
}

export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  onErr: (text: string) => void = () => undefined,
  isTerminal = false,
): Promise<CommandRun> {
  let out = '';
  let err = '';
  const exitCode = await runCli(args, {
    env,
    cwd: tmpdir(),
    out: (text) => (out += text),
    err: (text) => {
      err += text;
      onErr(text);
    },
    isTerminal,
  });
  return { exitCode, out, err, json: () => JSON.parse(out) as unknown };
}
