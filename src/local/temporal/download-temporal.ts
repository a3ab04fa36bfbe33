/**
 * Lets the SDK fetch the Temporal tool from temporal.download, as its test environment does. It runs in a process of its
 * own, because the download cannot be aborted and would install a Runtime here. Without internet it ends within a second;
 * on a network that drops packets it is given up when nothing arrives.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Say } from '../process/progress.js';
import { runCommand } from '../process/run-command.js';
import type { MakeTemporal } from './build-temporal.js';
import { TEMPORAL_CLI_VERSION } from './temporal-version.js';

/** The download is given up if the file has not grown for this long (connecting included). */
const STALLED_AFTER_MS = 15_000;
const WHOLE_DOWNLOAD_WITHIN_MS = 5 * 60_000;
const LOOK_EVERY_MS = 500;

/** `node -e` with the paths as arguments. Starting the server is how this SDK version offers the download. */
const DOWNLOAD_SCRIPT = `
const [, testing, downloadDir, version] = process.argv;
const { TestWorkflowEnvironment } = require(testing);
TestWorkflowEnvironment.createLocal({ server: { executable: { type: 'cached-download', downloadDir, version } } })
  .then((environment) => environment.teardown())
  .then(() => process.exit(0), (error) => { console.error(error.message); process.exit(1); });
`;

export const downloadTemporal: MakeTemporal = async ({ target, env, signal, say }) => {
  const testing = testingPackage();
  if (testing === undefined) return '@temporalio/testing, which can download it, is not installed';
  const downloadDir = `${target}.download.partial`;
  mkdirSync(downloadDir, { recursive: true });
  const stalled = new AbortController();
  const watch = watchGrowth(downloadDir, { onStall: () => stalled.abort(), say });
  try {
    const run = await runCommand({
      command: process.execPath,
      args: ['-e', DOWNLOAD_SCRIPT, testing, downloadDir, `v${TEMPORAL_CLI_VERSION}`],
      env,
      timeoutMs: WHOLE_DOWNLOAD_WITHIN_MS,
      signal: signal === undefined ? stalled.signal : AbortSignal.any([signal, stalled.signal]),
      group: true,
    });
    const downloaded = readdirSync(downloadDir).find((name) => !name.endsWith('.downloading'));
    if (downloaded !== undefined) {
      renameSync(join(downloadDir, downloaded), target);
      return undefined;
    }
    if (stalled.signal.aborted) return `nothing arrived for ${STALLED_AFTER_MS / 1000} s`;
    return run.ok ? 'the SDK left no file' : shortReason(run.stderr) || run.problem;
  } finally {
    clearInterval(watch);
    rmSync(downloadDir, { recursive: true, force: true });
  }
};

/** The innermost cause of the SDK's nested message: `…: dns error: failed to lookup address information: …`. */
function shortReason(stderr: string): string {
  const line = stderr.trim().split('\n').at(-1) ?? '';
  return line.split(': ').slice(-2).join(': ');
}

/** A development dependency: absent where tramita was installed from the registry. */
function testingPackage(): string | undefined {
  try {
    return require.resolve('@temporalio/testing');
  } catch {
    return undefined;
  }
}

function watchGrowth(
  folder: string,
  { onStall, say }: { readonly onStall: () => void; readonly say: Say },
): NodeJS.Timeout {
  let seenBytes = -1;
  let grownAtMs = performance.now();
  return setInterval(() => {
    const bytes = sizeOfFiles(folder);
    if (bytes > seenBytes) {
      seenBytes = bytes;
      grownAtMs = performance.now();
      if (bytes > 0) say('tick', `${String(Math.round(bytes / 1_000_000))} MB`);
    } else if (performance.now() - grownAtMs > STALLED_AFTER_MS) onStall();
  }, LOOK_EVERY_MS);
}

function sizeOfFiles(folder: string): number {
  const names = readdirSync(folder);
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}
