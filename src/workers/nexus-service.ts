/**
 * Serves the Nexus service of `src/nexus`. An operation starts its flow as the starters do: same id, same checks, same memo, so
 * operations, starters and commands that ask for the same share one run, and the server reports its end to each of them.
 */
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { WorkflowRunOperationHandler, startWorkflow, type WorkflowHandle } from '@temporalio/nexus';
import { OperationError, serviceHandler, type ServiceDefinition, type ServiceHandler } from 'nexus-rpc';
import { createStarterDeps, type Config, type TemporalConnection } from '../config/index.js';
import { DIFFERENT_INPUT, tramitaService } from '../nexus/index.js';
import { WORKFLOW_TYPES, type WorkflowType } from '../protocol/index.js';
import { DifferentInput, starterOf, type StarterDeps, type StartOptions } from '../starters/index.js';

/**
 * For `nexusServices` of the worker of the flows' own queue.
 *
 * @throws when payloads are encrypted: a result is encrypted for its own workflow, and no caller could read it.
 */
export function createNexusServices(
  config: Config,
  { payloadKeys }: TemporalConnection,
  client: Client,
): ServiceHandler[] {
  if (!config.nexus) return [];
  if (payloadKeys?.writes !== undefined) {
    throw new Error(
      'tramita: TRAMITA_NEXUS=on does not go with TRAMITA_PAYLOAD_KEYS: what a flow returns is encrypted for that flow alone, so callers in other namespaces could not read it; unset one of them',
    );
  }
  const deps = createStarterDeps(config, client);
  const contract: ServiceDefinition = tramitaService;
  return [serviceHandler(contract, Object.fromEntries(WORKFLOW_TYPES.map((type) => [type, operationOf(type, deps)])))];
}

function operationOf(type: WorkflowType, deps: StarterDeps): WorkflowRunOperationHandler<unknown, unknown> {
  return new WorkflowRunOperationHandler(async (context, input = {}) => {
    let run: WorkflowHandle<unknown> | undefined;
    const startRun: StartOptions['startRun'] = async (name, options) => {
      run = await startWorkflow(context, name, options);
      return run.runId ?? '';
    };
    try {
      await starterOf(type)(deps, input, { startRun });
    } catch (error) {
      throw refusal(error);
    }
    if (run === undefined) throw new Error('tramita: a start has ended without a run');
    return run;
  });
}

/** An error that no retry can cure ends the operation, with the type that callers know. The server retries after any other. */
function refusal(error: unknown): unknown {
  const cause =
    error instanceof DifferentInput ? ApplicationFailure.nonRetryable(error.message, DIFFERENT_INPUT) : error;
  return cause instanceof ApplicationFailure ? new OperationError('failed', cause.message, { cause }) : error;
}
