/** How Temporal routes to a worker deployment: which version is current, and whether another one is being let in. */
import type { Client, Connection } from '@temporalio/client';
import type { DeploymentVersion } from '../config/index.js';
import { hasGrpcCode } from './grpc-code.js';

/** The build ids that get new flows; undefined where none does. */
export interface Routing {
  readonly current: string | undefined;
  /** Gets a part of them. */
  readonly ramping: string | undefined;
}

/** gRPC NOT_FOUND: no worker of the deployment has polled yet, or it is not used for routing. */
const NOT_FOUND = 5;

/** Undefined: the server does not know the deployment. */
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
      current: named(currentDeploymentVersion?.buildId),
      ramping: named(rampingDeploymentVersion?.buildId),
    };
  } catch (error) {
    if (hasGrpcCode(error, NOT_FOUND)) return undefined;
    throw error;
  }
}

/**
 * Whether only this version gets new flows, so that a workflow type which it does not know is known to none. True as well where
 * the server knows no such deployment: then it routes by none.
 */
export async function isSettledVersion(
  { connection, options: { namespace } }: Pick<Client, 'connection' | 'options'>,
  { deploymentName, buildId }: DeploymentVersion,
): Promise<boolean> {
  const routing = await readRouting(connection, { namespace, deploymentName });
  return routing === undefined || (routing.current === buildId && routing.ramping === undefined);
}

/** The command that lets a version in. */
export function letInCommand({ deploymentName, buildId }: DeploymentVersion): string {
  return `temporal worker deployment set-current-version --deployment-name ${deploymentName} --build-id ${buildId}`;
}

function named(buildId: string | null | undefined): string | undefined {
  return buildId === '' || buildId === null ? undefined : buildId;
}
