/** Workers as a version of a deployment: the SDK's option, and whether Temporal gives such a version new flows. */
import type { Connection } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import type { Config } from '../config/index.js';
import { letInCommand, readRouting } from '../temporal-client/index.js';

type Deployed = Pick<Config, 'deployment'>;

/** Of every worker of the program: a flow of a version finds its charged calls and polls there too. Nothing where no version is set. */
export function deploymentOptions({ deployment: version }: Deployed): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (version === undefined) return {};
  return {
    workerDeploymentOptions: {
      version,
      useWorkerVersioning: true,
      // Every flow says its own (workflows/versioned.ts): what is left is a run of an unknown type.
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}

/** What people should read where this version gets no new flows; undefined where it does, or Temporal cannot be asked. */
export async function idleVersionText(
  connection: Connection,
  namespace: string,
  { deployment }: Deployed,
): Promise<string | undefined> {
  if (deployment === undefined) return undefined;
  const { deploymentName, buildId } = deployment;
  const asked = await readRouting(connection, { namespace, deploymentName }).then(
    (routing) => ({ routing }),
    () => undefined,
  );
  if (asked === undefined || [asked.routing?.current, asked.routing?.ramping].includes(buildId)) return undefined;
  return `no new flow comes to version ${buildId} before it is let in: ${letInCommand(deployment)} (docs/upgrade.md)`;
}
