/** How Temporal routes new flows to a worker deployment: its current version, and a ramping one. */
import type { Client, Connection } from '@temporalio/client';
import type { DeploymentVersion } from '../config/index.js';
import { isNotFound } from './grpc-code.js';

/** The build ids that get new flows; undefined if none does. */
export interface Routing {
  readonly current: string | undefined;
  /** Gets a part of the new flows. */
  readonly ramping: string | undefined;
}

/** Undefined: the server does not know the deployment. No worker of it has polled yet, or it is not used for routing. */
export async function readRouting(
  connection: Pick<Connection, 'workflowService'>,
  { namespace, deploymentName }: { readonly namespace: string; readonly deploymentName: string },
): Promise<Routing | undefined> {
  try {
    const { workerDeploymentInfo } = await connection.workflowService.describeWorkerDeployment({
      namespace,
      deploymentName,
    });
    const { currentDeploymentVersion, rampingDeploymentVersion } = workerDeploymentInfo?.routingConfig ?? {};
    return {
      current: unlessEmpty(currentDeploymentVersion?.buildId),
      ramping: unlessEmpty(rampingDeploymentVersion?.buildId),
    };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Whether only this version gets new flows, so that a workflow type that it does not know is known to no worker. True too if
 * the server does not know the deployment, because then it does not route by versions.
 */
export async function isSettledVersion(
  { connection, options: { namespace } }: Pick<Client, 'connection' | 'options'>,
  { deploymentName, buildId }: DeploymentVersion,
): Promise<boolean> {
  const routing = await readRouting(connection, { namespace, deploymentName });
  return routing === undefined || (routing.current === buildId && routing.ramping === undefined);
}

/** The command that makes a version the current one. */
export function letInCommand({ deploymentName, buildId }: DeploymentVersion): string {
  return `temporal worker deployment set-current-version --deployment-name ${deploymentName} --build-id ${buildId}`;
}

function unlessEmpty(buildId: string | null | undefined): string | undefined {
  return buildId === '' || buildId === null ? undefined : buildId;
}
