/**
 * `tramita/nexus`: the contract of the Nexus service, for workflows in other namespaces. Every flow is an operation, under its
 * workflow type, with the input and the result of the flow. Pure: a workflow may import it. Workers with `TRAMITA_NEXUS=on`
 * serve it (`src/workers/nexus-service.ts`).
 */
import { operation, service, type OperationDefinition, type ServiceDefinition } from 'nexus-rpc';
import { WORKFLOW_TYPES, type FlowInput, type FlowResult, type WorkflowType } from '../protocol/index.js';

/** The operations of the service, named like the workflow types. */
export type TramitaOperations = {
  readonly [Type in WorkflowType]: OperationDefinition<FlowInput<Type>, FlowResult<Type>>;
};

/**
 * Failure type of an operation whose input differs from that of the run in progress. The failures of the flows themselves have the
 * types of `FAILURE_TYPES` (`tramita/protocol`).
 */
export const DIFFERENT_INPUT = 'DifferentInput';

/**
 * The service: `createNexusServiceClient({ endpoint, service: tramitaService })` of `@temporalio/workflow` makes a client of it. Its
 * name is `tramita`. An operation joins the run of an equal one in progress, as the starters do.
 */
export const tramitaService = service(
  'tramita',
  Object.fromEntries(WORKFLOW_TYPES.map((type) => [type, operation<unknown, unknown>()])),
) as ServiceDefinition<TramitaOperations>;
