/**
 * Finds the production server and the tool for its schema, for a cluster on PostgreSQL: in our cache, else built with Go, by one
 * process at a time. The folder gets its name only when both are complete and on disk, so a partial one is never seen.
 */
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../process/file-lock.js';
import { isExecutableFile } from '../process/find-on-path.js';
import { sayAbout, type OnProgress } from '../process/progress.js';
import { buildClusterServer, type MakeTemporal } from './build-temporal.js';
import { LOCK_WITHIN_MS } from './find-temporal-server.js';
import { cacheFolder, syncToDisk } from './temporal-cache.js';
import { askTemporalVersion, TEMPORAL_SERVER_VERSION } from './temporal-version.js';

export interface ClusterServer {
  readonly server: string;
  /** Makes and updates the schema of its databases. */
  readonly sqlTool: string;
}

interface FindClusterServerOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: OnProgress;
  readonly signal?: AbortSignal | undefined;
  /** Tests replace it. */
  readonly build?: MakeTemporal;
}

/** Undefined if it has not been built. */
export function cachedClusterServer(env: NodeJS.ProcessEnv): ClusterServer | undefined {
  const found = toolsIn(entryFolder(env));
  return isExecutableFile(found.server) && isExecutableFile(found.sqlTool) ? found : undefined;
}

export async function findClusterServer(options: FindClusterServerOptions): Promise<ClusterServer> {
  const { env, onProgress, signal, build = buildClusterServer } = options;
  const say = sayAbout('temporal', onProgress);
  const folder = entryFolder(env);
  const cached = cachedClusterServer(env);
  if (cached !== undefined) return cached;
  return withLock({
    file: `${folder}.lock`,
    purpose: `building the Temporal server ${TEMPORAL_SERVER_VERSION}`,
    deadlineMs: LOCK_WITHIN_MS,
    signal,
    onWait: (holder) => say('step', `waiting: process ${String(holder?.pid ?? '?')} is building it already`),
    use: async () => {
      const builtMeanwhile = cachedClusterServer(env);
      if (builtMeanwhile !== undefined) return builtMeanwhile;
      say('step', `building the Temporal server ${TEMPORAL_SERVER_VERSION} with Go: up to 10 minutes, once`);
      // No process id in its name, so that the folder of a dead builder is removed here.
      const partial = `${folder}.partial`;
      for (const left of [partial, folder]) rmSync(left, { recursive: true, force: true });
      mkdirSync(partial, { recursive: true });
      const problem =
        (await build({ target: partial, env, signal, say })) ?? (await versionProblem(toolsIn(partial).server, env));
      signal?.throwIfAborted();
      if (problem !== undefined) {
        throw new Error(
          `tramita: the Temporal server could not be built: ${problem}. It needs Go 1.21 or newer on PATH with access to a Go module proxy: https://go.dev/dl`,
        );
      }
      const { server, sqlTool } = toolsIn(partial);
      for (const path of [server, sqlTool, partial]) syncToDisk(path);
      renameSync(partial, folder);
      say('decision', `the Temporal server ${TEMPORAL_SERVER_VERSION} is now in ${folder}`);
      return toolsIn(folder);
    },
  });
}

async function versionProblem(server: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const answer = await askTemporalVersion(server, env);
  if ('problem' in answer) return answer.problem;
  const { text } = answer.version;
  return text === TEMPORAL_SERVER_VERSION ? undefined : `it is version ${text}, not ${TEMPORAL_SERVER_VERSION}`;
}

/** Named by Go after their packages. */
function toolsIn(folder: string): ClusterServer {
  return { server: join(folder, 'server'), sqlTool: join(folder, 'sql') };
}

function entryFolder(env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), `temporal-server-${TEMPORAL_SERVER_VERSION}`);
}
