/**
 * Finds the Temporal tool or gets it: `temporal` on PATH, our cache, the SDK's own download, a Go build (the caller checks
 * TEMPORAL_ADDRESS before all of them). Every step reports its decision and the reason. Downloads and builds go into the
 * cache, by one process at a time.
 */
import {
  askTemporalVersion,
  OLDEST_TEMPORAL_CLI,
  TEMPORAL_CLI_VERSION,
  temporalVersionProblem,
} from './temporal-version.js';
import { buildTemporal, type MakeTemporal } from './build-temporal.js';
import { downloadTemporal } from './download-temporal.js';
import { withLock } from '../process/file-lock.js';
import { findOnPath } from '../process/find-on-path.js';
import { sayAbout, type OnProgress } from '../process/progress.js';
import { acceptCandidate, cacheProblem, candidateFile, temporalCacheEntry } from './temporal-cache.js';

/** Longer than the longest build: the holder of the lock may be building. */
export const LOCK_WITHIN_MS = 50 * 60_000;

export interface FoundTemporal {
  readonly executable: string;
  readonly version: string;
  readonly source: 'path' | 'cache' | 'download' | 'go-build';
}

export interface FindTemporalOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: OnProgress;
  readonly signal?: AbortSignal | undefined;
  /** Tests replace these two. */
  readonly download?: MakeTemporal;
  readonly build?: MakeTemporal;
}

export async function findTemporalServer(options: FindTemporalOptions): Promise<FoundTemporal> {
  const { env, onProgress, signal, download = downloadTemporal, build = buildTemporal } = options;
  const say = sayAbout('temporal', onProgress);
  const passedOver: string[] = [];
  const passOver = (reason: string): void => {
    passedOver.push(reason);
    say('step', `not ${reason}`);
  };

  const onPath = await lookOnPath(env);
  if (typeof onPath !== 'string') {
    say('decision', `using ${onPath.executable} (${onPath.version}): it is on PATH`);
    return onPath;
  }
  passOver(onPath);

  const entry = temporalCacheEntry(env);
  const cached: FoundTemporal = { executable: entry.executable, version: TEMPORAL_CLI_VERSION, source: 'cache' };
  const lookInCache = async (): Promise<FoundTemporal | string> => {
    const problem = await cacheProblem(entry, env);
    if (problem !== undefined) return `the cache: ${problem}`;
    say('decision', `using ${entry.executable}: it is in the cache`);
    return cached;
  };
  const atFirstLook = await lookInCache();
  if (typeof atFirstLook !== 'string') return atFirstLook;

  // Beside the folder, so that clearing the entry does not clear the lock.
  const lockFile = `${entry.folder}.lock`;
  return withLock({
    file: lockFile,
    purpose: `getting Temporal ${TEMPORAL_CLI_VERSION}`,
    deadlineMs: LOCK_WITHIN_MS,
    signal,
    onWait: (holder) =>
      say('step', `waiting: process ${String(holder?.pid ?? '?')} is getting it already (lock ${lockFile})`),
    use: async () => {
      const atSecondLook = await lookInCache();
      if (typeof atSecondLook !== 'string') return atSecondLook;
      passOver(atSecondLook);
      for (const { source, make, start } of [
        { source: 'download', make: download, start: `downloading Temporal ${TEMPORAL_CLI_VERSION} with the SDK` },
        {
          source: 'go-build',
          make: build,
          start: `building Temporal ${TEMPORAL_CLI_VERSION} with Go: about 5 minutes, once`,
        },
      ] as const) {
        say('step', start);
        const candidate = candidateFile(entry);
        const problem =
          (await make({
            target: candidate,
            env,
            signal,
            say: (kind, text) => say(kind, `${source}: ${text}`),
          })) ?? (await acceptCandidate(entry, { candidate, env }));
        signal?.throwIfAborted();
        if (problem === undefined) {
          say('decision', `using ${entry.executable}: obtained by ${source}, now in the cache`);
          return { ...cached, source };
        }
        passOver(`the ${source}: ${problem}`);
      }
      throw new Error(noTemporalMessage(passedOver));
    },
  });
}

/** The tool, or why there is none to use. */
async function lookOnPath(env: NodeJS.ProcessEnv): Promise<FoundTemporal | string> {
  const executable = findOnPath('temporal', env['PATH']);
  if (executable === undefined) return 'from PATH: there is no `temporal` on it';
  const answer = await askTemporalVersion(executable, env);
  const problem = 'problem' in answer ? answer.problem : temporalVersionProblem(answer.version);
  if (problem !== undefined || 'problem' in answer) return `from PATH: ${executable} ${problem ?? ''}`;
  return { executable, version: answer.version.text, source: 'path' };
}

function noTemporalMessage(passedOver: readonly string[]): string {
  return [
    'tramita: no Temporal server could be found or built. Tried in this order:',
    ...passedOver.map((reason) => `  - not ${reason}`),
    'Any one of these helps:',
    '  - a server that runs already: TEMPORAL_ADDRESS=host:port, in tests `servers` of createTestStack',
    `  - the Temporal CLI ${OLDEST_TEMPORAL_CLI} or newer on PATH: https://docs.temporal.io/cli`,
    '  - the npm package @temporalio/testing and internet access to temporal.download',
    '  - Go 1.21 or newer on PATH with access to a Go module proxy: https://go.dev/dl',
  ].join('\n');
}
