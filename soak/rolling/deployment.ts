/** What an operator does with a deployment, by the commands of docs/upgrade.md and the pinned `temporal` tool. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findTemporalServer } from '../../src/local/index.js';
import { patiently } from '../patiently.js';
import type { World } from '../world.js';

const run = promisify(execFile);

export const DEPLOYMENT = 'tramita';

export interface Deployment {
  /** Again until the server knows workers of the version. */
  ramp(buildId: string, percentage: number): Promise<void>;
  setCurrent(buildId: string): Promise<void>;
  /** Flows that have passed this patch stay with the version; resolves when each of them does. */
  pin(patch: string, buildId: string): Promise<number>;
}

export async function openDeployment({ client, taskQueue, env }: World): Promise<Deployment> {
  const { executable } = await findTemporalServer({ env: process.env, onProgress: () => undefined });
  const { TEMPORAL_ADDRESS: address = '' } = env;
  const temporal = async (...args: readonly string[]): Promise<void> => {
    await run(executable, [...args, '--address', address, '--yes'], { timeout: 30_000 });
  };
  const route = (command: string, buildId: string, ...more: readonly string[]): Promise<void> =>
    patiently(() =>
      temporal(...['worker', 'deployment', command, '--deployment-name', DEPLOYMENT, '--build-id', buildId, ...more]),
    );
  return {
    ramp: (buildId, percentage) => route('set-ramping-version', buildId, '--percentage', String(percentage)),
    setCurrent: (buildId) => route('set-current-version', buildId),
    pin: async (patch, buildId) => {
      const query = `ExecutionStatus='Running' AND TaskQueue='${taskQueue}' AND TemporalChangeVersion IN ('${patch}')`;
      await temporal(
        ...['workflow', 'update-options', '--versioning-override-behavior', 'pinned', '--reason', 'back', '--query'],
        ...[query, '--versioning-override-deployment-name', DEPLOYMENT, '--versioning-override-build-id', buildId],
      );
      return patiently(async () => {
        let pinned = 0;
        for await (const { workflowId, runId } of client.workflow.list({ query })) {
          const { raw, status } = await client.workflow.getHandle(workflowId, runId).describe();
          if (status.name !== 'RUNNING') continue;
          if (!raw.workflowExecutionInfo?.versioningInfo?.versioningOverride)
            throw new Error(`${workflowId} is not pinned`);
          pinned += 1;
        }
        return pinned;
      });
    },
  };
}
