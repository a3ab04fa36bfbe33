/** Workflows of another team in their own namespace. They know only the contract and the name of an endpoint. */
import { NexusOperationFailure } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  condition,
  createNexusServiceClient,
  defineSignal,
  isCancellation,
  setHandler,
} from '@temporalio/workflow';
import { tramitaService } from '../../src/nexus/index.js';
import type { FlowInput, ImportLawyerCasesResult, RefreshCaseResult, WorkflowType } from '../../src/protocol/index.js';

const clientOf = (endpoint: string) => createNexusServiceClient({ endpoint, service: tramitaService });

/** Starts all operations before it waits for any of them. */
export async function refreshTogether(
  endpoint: string,
  inputs: readonly FlowInput<'refreshCase'>[],
): Promise<readonly RefreshCaseResult[]> {
  const client = clientOf(endpoint);
  const started = await Promise.all(inputs.map((input) => client.startOperation('refreshCase', input)));
  return Promise.all(started.map((operation) => operation.result()));
}

export function importList(endpoint: string, oab: string): Promise<ImportLawyerCasesResult> {
  return clientOf(endpoint).executeOperation('importLawyerCases', { oab, pageSize: 10 });
}

export const letGo = defineSignal('letGo');

/** Starts an operation and cancels it when the signal `letGo` comes. */
export async function refreshAndLetGo(endpoint: string, input: FlowInput<'refreshCase'>): Promise<string> {
  let isLetGo = false;
  setHandler(letGo, () => void (isLetGo = true));
  const scope = new CancellationScope();
  const ended = scope
    .run(() => clientOf(endpoint).executeOperation('refreshCase', input))
    .then(
      () => 'done',
      (error: unknown) => (isCancellation(error) ? 'cancelled' : 'failed'),
    );
  await Promise.race([condition(() => isLetGo), ended]);
  scope.cancel();
  return ended;
}

export interface FailedOperation {
  readonly operation: string;
  readonly type: string | null | undefined;
  readonly message: string;
  readonly details: unknown;
}

/** The failure of an operation as its caller reads it: the innermost `ApplicationFailure`. */
export async function failureOfOperation(
  endpoint: string,
  type: WorkflowType,
  input: unknown,
): Promise<FailedOperation> {
  try {
    await clientOf(endpoint).executeOperation(type, input as FlowInput<'refreshCase'>);
  } catch (error) {
    if (!(error instanceof NexusOperationFailure)) throw error;
    let cause: unknown = error.cause;
    while (cause instanceof ApplicationFailure && cause.cause instanceof ApplicationFailure) cause = cause.cause;
    if (!(cause instanceof ApplicationFailure)) throw error;
    return { operation: error.operation, type: cause.type, message: cause.message, details: cause.details?.[0] };
  }
  throw ApplicationFailure.nonRetryable('it did not fail');
}
