#!/usr/bin/env node
/** The command line as a process: its streams, its environment and its exit code. */
import { runCli } from './program.js';

const { argv, env, stdout, stderr } = process;

// The S3 client warns on a Node that its later versions will not run on. Ours is pinned and runs on every Node that `engines`
// names, so the warning is not for the people who use this program. Other warnings are shown.
env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

/** Resolves when a slow reader has taken everything: a pipe holds 64 KiB, and `process.exit` drops the rest. */
const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write('', () => resolve()));

// EPIPE: the reader has seen enough (`tramita … | head`). Any other error, such as a full disk: the output is incomplete.
stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(0);
  stderr.write(`tramita: the output cannot be written (${code ?? 'unknown error'})\n`);
  process.exit(1);
});
// a command goes on if nobody can read its errors
stderr.on('error', () => undefined);

void runCli(argv.slice(2), {
  env,
  cwd: process.cwd(),
  out: (text) => void stdout.write(text),
  err: (text) => void stderr.write(text),
  drained: () => (stdout.writableNeedDrain ? flushed(stdout) : Promise.resolve()),
  isTerminal: stderr.isTTY,
}).then(async (exitCode) => {
  await Promise.all([flushed(stdout), flushed(stderr)]);
  process.exit(exitCode);
});
