/**
 * Builds the Temporal tool, or the server of a cluster, with Go from the pinned module `tools/temporal`. Takes 4 to 6 minutes
 * the first time on two cores (less for the second of the two, which shares most packages), seconds with a warm Go cache, so
 * it reports its progress all the time.
 */
import { join } from 'node:path';
import { findOnPath } from '../process/find-on-path.js';
import { packageRoot } from '../process/package-root.js';
import type { Say } from '../process/progress.js';
import { runCommand } from '../process/run-command.js';
import { TEMPORAL_CLI_VERSION } from './temporal-version.js';

/** Where Go's own installer puts it (go.dev/doc/install), often missing from the PATH of non-login shells. */
const GO_INSTALLER_FOLDER = '/usr/local/go/bin';

/** Older versions cannot fetch the toolchain that go.mod asks for (go.dev/doc/toolchain: since Go 1.21). */
const OLDEST_GO_MINOR = 21;

/** Packages that `go build -v` named on a cold cache: 1,720 for CLI 1.8.2 on linux/amd64, 2026-11-20. */
const PACKAGES_ABOUT = 1_720;

const TOOL = 'github.com/temporalio/cli/cmd/temporal';
const SERVER = 'go.temporal.io/server/cmd/server';
const SQL_TOOL = 'go.temporal.io/server/cmd/tools/sql';
/** Without symbol table and debug information. */
const SMALL = '-s -w';
const BUILD_WITHIN_MS = 45 * 60_000;
const TICK_EVERY_MS = 1_000;

/** Without a terminal only these lines are printed. */
const LINE_EVERY_MS = 20_000;

interface MakeOptions {
  /** Path of the executable, or of the folder with several, after success. */
  readonly target: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  readonly say: Say;
}

/** Returns why it failed, or undefined if `target` is there. */
export type MakeTemporal = (options: MakeOptions) => Promise<string | undefined>;

export const buildTemporal: MakeTemporal = (options) => {
  const version = `-X github.com/temporalio/cli/internal/temporalcli.Version=${TEMPORAL_CLI_VERSION}`;
  return build(options, { packages: [TOOL], ldflags: `${SMALL} ${version}` });
};

/** `server` and `sql`, into the folder `target`, which exists. */
export const buildClusterServer: MakeTemporal = (options) =>
  build(options, { packages: [SERVER, SQL_TOOL], ldflags: SMALL });

async function build(
  { target, env, signal, say }: MakeOptions,
  { packages, ldflags }: { readonly packages: readonly string[]; readonly ldflags: string },
): Promise<string | undefined> {
  const go = findOnPath('go', `${env['PATH'] ?? ''}:${GO_INSTALLER_FOLDER}`);
  if (go === undefined) return 'there is no `go` on PATH';
  const problem = await goProblem(go, env);
  if (problem !== undefined) return problem;

  const startedAtMs = performance.now();
  const seen = { downloads: 0, packages: 0, isLinking: false };
  const progress = (): string => buildProgress({ ...seen, elapsedMs: performance.now() - startedAtMs });
  const ticks = setInterval(() => say('tick', progress()), TICK_EVERY_MS);
  const lines = setInterval(() => say('step', progress()), LINE_EVERY_MS);
  try {
    const run = await runCommand({
      command: go,
      args: ['build', '-mod=readonly', '-trimpath', '-v', '-o', target, '-ldflags', ldflags, ...packages],
      cwd: join(packageRoot(), 'tools', 'temporal'),
      env: goEnvironment(env),
      timeoutMs: BUILD_WITHIN_MS,
      signal,
      group: true,
      onStderrLine: (line) => {
        if (line.startsWith('go: downloading ')) seen.downloads += 1;
        else if (line === packages.at(-1)) seen.isLinking = true;
        else if (/^\S+$/.test(line)) seen.packages += 1;
      },
    });
    return run.ok ? undefined : `the Go build failed (${run.problem})`;
  } finally {
    clearInterval(ticks);
    clearInterval(lines);
  }
}

/** Pure: one line about a running build. */
export function buildProgress(seen: {
  readonly downloads: number;
  readonly packages: number;
  readonly isLinking: boolean;
  readonly elapsedMs: number;
}): string {
  const seconds = Math.round(seen.elapsedMs / 1000);
  const elapsed = seconds < 60 ? `${seconds} s` : `${String(Math.floor(seconds / 60))} min ${seconds % 60} s`;
  const phase = seen.isLinking
    ? 'linking'
    : seen.packages > 0
      ? `compiled ${seen.packages} of about ${PACKAGES_ABOUT} packages`
      : seen.downloads > 0
        ? `${seen.downloads} modules downloaded`
        : 'starting';
  return `${elapsed}, ${phase}`;
}

/** Static, for this machine, and untouched by a workspace file or cross-compile settings of the user. */
function goEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { GOOS: _os, GOARCH: _arch, GOFLAGS: _flags, ...rest } = env;
  return { ...rest, CGO_ENABLED: '0', GOWORK: 'off', GO111MODULE: 'on' };
}

async function goProblem(go: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const run = await runCommand({ command: go, args: ['version'], env, timeoutMs: 30_000 });
  const minor = /\bgo1\.(\d+)/.exec(run.stdout)?.[1];
  if (!run.ok || minor === undefined) return `\`${go} version\` gives no version${run.ok ? '' : ` (${run.problem})`}`;
  return Number(minor) < OLDEST_GO_MINOR ? `${go} is Go 1.${minor}, older than 1.${OLDEST_GO_MINOR}` : undefined;
}
