/**
 * Replays histories with this build's flows, one after another: no worker runs, nothing is sent, nothing is written. A flow whose
 * history does not replay would be stuck under this build.
 */
import type { History } from '@temporalio/common/lib/proto-utils';
import { DefaultLogger, Runtime, Worker, type ReplayWorkerOptions } from '@temporalio/worker';
import type { TemporalConnection } from '../config/index.js';
import { createReplayDataConverter } from '../temporal-client/index.js';
import { withLongTasks } from './long-tasks.js';
import { workflowSource } from './workflow-bundle.js';

/** One run as it is downloaded, or as it is in a file. */
export interface KeptRun {
  readonly workflowId: string;
  /** Absent if the file does not have it. */
  readonly runId?: string;
  /** Workflow type. */
  readonly flow: string;
  /** As the server gives it, or as JSON of `temporal workflow show -o json`. */
  readonly history: unknown;
}

export interface ReplayedRun extends Omit<KeptRun, 'history'> {
  /** Why it does not replay; undefined if it does. It has names of types and numbers of events, no payload. */
  readonly problem: string | undefined;
}

/** Silences the log of the SDK, for commands that print their own result. A runtime that exists already stays. */
export function installQuietRuntime(): void {
  try {
    Runtime.install({
      logger: new DefaultLogger('ERROR', () => undefined),
      telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' }, forward: {} } },
      shutdownSignals: [],
    });
  } catch {
    // A runtime exists already.
  }
}

/** Reads the next history only after the one before was replayed, so that memory holds one. */
export async function* replayHistories(
  temporal: Pick<TemporalConnection, 'payloadKeys'>,
  runs: AsyncIterable<KeptRun>,
  build: Pick<ReplayWorkerOptions, 'bundlerOptions'> = {},
): AsyncGenerator<ReplayedRun> {
  let current: Omit<KeptRun, 'history'> | undefined;
  let unreadable: string | undefined;
  async function* histories(): AsyncGenerator<{ readonly workflowId: string; readonly history: History }> {
    for await (const { history, ...run } of runs) {
      current = run;
      unreadable = undefined;
      // The SDK accepts JSON too, although its types do not say so.
      yield { workflowId: run.workflowId, history: history as History };
    }
  }
  const { dataConverter, ...source } = await workflowSource(temporal);
  const converter = createReplayDataConverter(temporal, dataConverter ?? {}, (keyId) => (unreadable = keyId));
  const options = withLongTasks({ ...source, ...build, dataConverter: converter, replayName: 'tramita-replay' });
  for await (const { error } of Worker.runReplayHistories(options, histories())) {
    if (current === undefined) continue;
    const problem =
      unreadable === undefined
        ? error?.message
        : `encrypted with the key ${JSON.stringify(unreadable)}, which TRAMITA_PAYLOAD_KEYS does not have`;
    yield { ...current, problem };
  }
}
