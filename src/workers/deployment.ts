/** Workers as a version of a deployment: the SDK's option, and whether Temporal gives such a version new flows. */
import type { Connection } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import type { Config } from '../config/index.js';
import { letInCommand, readRouting } from '../temporal-client/index.js';

type Deployed = Pick<Config, 'deployment'>;

/** For every worker of the program: charged calls and polls of a flow run under its version too. Empty if no version is set. */
export function deploymentOptions({ deployment: version }: Deployed): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (version === undefined) return {};
  return {
    workerDeploymentOptions: {
      version,
      useWorkerVersioning: true,
      // Every flow declares its own (workflows/versioned.ts): this one is for runs of an unknown type.
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}

/** A warning that this version gets no new flows; undefined if it gets some, or if Temporal does not answer. */
export async function idleVersionText(
  connection: Connection,
  namespace: string,
  { deployment }: Deployed,
): Promise<string | undefined> {
  if (deployment === undefined) return undefined;
  const { deploymentName, buildId } = deployment;
  const answer = await readRouting(connection, { namespace, deploymentName }).then(
    (routing) => ({ routing }),
    () => undefined,
  );
  if (answer === undefined || [answer.routing?.current, answer.routing?.ramping].includes(buildId)) return undefined;
  return `version ${buildId} gets no new flows until it is made current: ${letInCommand(deployment)} (docs/upgrade.md)`;
}
