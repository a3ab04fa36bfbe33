/** What an operator does with a deployment, using the commands of docs/upgrade.md and the pinned `temporal` tool. */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findTemporalServer } from '../../src/local/index.js';
import { patiently } from '../patiently.js';
import type { World } from '../world.js';

const run = promisify(execFile);

export const DEPLOYMENT = 'tramita';
const LOOK_EVERY_MS = 2_000;
const MOST_POLLS = 60;

export interface Deployment {
  /** Retries until the server knows workers of the version. */
  ramp(buildId: string, percentage: number): Promise<void>;
  setCurrent(buildId: string): Promise<void>;
  /** Pins flows that have passed this patch to the version; resolves with their number when all of them are pinned. */
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
      const passed = `ExecutionStatus='Running' AND TaskQueue='${taskQueue}' AND TemporalChangeVersion IN ('${patch}')`;
      const loose = `${passed} AND TemporalWorkflowVersioningBehavior='AutoUpgrade'`;
      // Visibility shows a flow's state a moment later.
      for (let [polls, none] = [0, 0]; none < 3; polls += 1) {
        if (polls === MOST_POLLS) throw new Error('some flows are not pinned');
        const { count } = await client.workflow.count(loose);
        none = count === 0 ? none + 1 : 0;
        if (count > 0) {
          await temporal(
            ...[
              'workflow',
              'update-options',
              '--versioning-override-behavior',
              'pinned',
              '--reason',
              'back',
              '--query',
            ],
            ...[loose, '--versioning-override-deployment-name', DEPLOYMENT, '--versioning-override-build-id', buildId],
          );
        }
        await sleep(LOOK_EVERY_MS);
      }
      return (await client.workflow.count(passed)).count;
    },
  };
}
