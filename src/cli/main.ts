#!/usr/bin/env node
/** The command line as a process: its streams, its environment, and the only `process.exit` of the package. */
import { runCli } from './program.js';

const { argv, env, stdout, stderr } = process;

// `tramita … | head`: the reader has seen enough
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

void runCli(argv.slice(2), {
  env,
  cwd: process.cwd(),
  out: (text) => void stdout.write(text),
  err: (text) => void stderr.write(text),
  isTerminal: stderr.isTTY,
}).then((exitCode) => process.exit(exitCode));
