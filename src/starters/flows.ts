/**
 * The starter of each flow, made from its definition: it checks the input before anything starts, and makes the id from the
 * subject of the flow. `start-flow.ts` starts the run.
 */
import { FLOWS, WORKFLOW_TYPES, type FlowInput, type FlowResult, type WorkflowType } from '../protocol/index.js';
import type { FlowHandle } from './flow-handle.js';
import { invalidInput, startFlow, type StarterDeps, type StartOptions } from './start-flow.js';

/**
 * A function that starts one kind of flow, or joins the run in progress: two calls make one run.
 *
 * @throws InvalidInput (an `ApplicationFailure`) before anything is started; {@link DifferentInput} when the run in progress
 * under this id has another input, or is another flow.
 */
export type Starter<Input, Result> = (
  deps: StarterDeps,
  input: Input,
  options?: StartOptions,
) => Promise<FlowHandle<Result>>;

/** The starter of a flow whose input may be left out. */
type StarterByDefault<Input, Result> = (
  deps: StarterDeps,
  input?: Input,
  options?: StartOptions,
) => Promise<FlowHandle<Result>>;

type StarterOf<Type extends WorkflowType> =
  Partial<FlowInput<Type>> extends FlowInput<Type>
    ? StarterByDefault<FlowInput<Type>, FlowResult<Type>>
    : Starter<FlowInput<Type>, FlowResult<Type>>;

/** The starter of a type that is known only at run time. It checks its input itself, so parsed JSON may be passed on as it is. */
export function starterOf(type: WorkflowType): Starter<unknown, unknown> {
  return async (deps, input = {}, options = {}) => {
    const sent = asSent(type, input);
    const plan = FLOWS[type].plan(sent, deps);
    if (!plan.ok) throw invalidInput(plan.problem);
    return startFlow(deps, { type, input: sent, options, plan: plan.value });
  };
}

/**
 * The input in the form in which Temporal sends it. Hash and id are made from what the flow will read, and the caller may change
 * its own object during the start. A member that JSON leaves out (a getter of a class, of a cap for example) would be lost.
 */
function asSent(type: WorkflowType, input: unknown): unknown {
  const { parse, members } = FLOWS[type];
  const given = parse(input);
  if (!given.ok) throw invalidInput(given.problem);
  const sent = JSON.parse(JSON.stringify(input, refuseUnsendable)) as Readonly<Record<string, unknown>>;
  const read = input as typeof sent;
  const lost = Object.keys(members).find((name) => read[name] !== undefined && sent[name] === undefined);
  if (lost === undefined) return sent;
  throw invalidInput(`input.${lost} is not an own member of the object, so JSON leaves it out; give a plain object`);
}

/** Refuses what JSON leaves out or writes as `null`: the service would get another request. */
function refuseUnsendable(this: unknown, name: string, value: unknown): unknown {
  const isNotFinite = typeof value === 'number' && !Number.isFinite(value);
  const isLost = ['function', 'symbol'].includes(typeof value) || (value === undefined && Array.isArray(this));
  if (!isNotFinite && !isLost) return value;
  throw invalidInput(
    `input has ${isNotFinite ? `the number ${value}` : typeof value} under "${name}", which JSON cannot express`,
  );
}

/** Every starter under the name of its workflow type, each with its own input and result. */
export const STARTERS = Object.fromEntries(WORKFLOW_TYPES.map((type) => [type, starterOf(type)])) as {
  readonly [Type in WorkflowType]: StarterOf<Type>;
};

/** Starts (or joins) the refresh of one case. Default id `refresh.<account>.<cnj>`. */
export const startRefreshCase = STARTERS.refreshCase;
/** Starts (or joins) the refresh of a list of cases. Default id `portfolio.<account>.<name>`. */
export const startRefreshPortfolio = STARTERS.refreshPortfolio;
/** Starts (or joins) one call of an operation. Default id `call.<account>.<operation>.<hash of params and body>`. */
export const startCallOperation = STARTERS.callOperation;
/** Starts (or joins) a collection of pages, whatever `maxPages` is. Default id `pages.<account>.<operation>.<hash of params>`. */
export const startCollectPages = STARTERS.collectPages;
/** Starts (or joins) the reading of one case. Default id `case.<account>.<cnj>.<hash of the rest>`. */
export const startReadCase = STARTERS.readCase;
/** Starts (or joins) the summary of one case. Default id `summary.<account>.<cnj>`. */
export const startSummarizeCase = STARTERS.summarizeCase;
/** Starts (or joins) the wait for pending work of the service. Default id `request.<account>.<requestId>`. */
export const startAwaitRequest = STARTERS.awaitRequest;
/** Starts (or joins) a search of the electoral bulletin board. Default id `board.<account>.<hash>`. */
export const startSearchBoard = STARTERS.searchBoard;
/** Starts (or joins) the import of a lawyer's cases. Default id `import.<account>.<token>`. */
export const startImportLawyerCases = STARTERS.importLawyerCases;
/** Starts (or joins) the sync of the notices of these registrations. Default id `notices.<account>.<token>`. */
export const startSyncNotices = STARTERS.syncNotices;
/** Starts (or joins) the flow that makes one notice monitor watch these registrations. Default id `monitor.<account>.notices.<token>`. */
export const startEnsureNoticeMonitor = STARTERS.ensureNoticeMonitor;
/** Starts (or joins) the creation of a radar, paid once for its reference. Default id `monitor.<account>.radar.<reference>`. */
export const startCreateRadar = STARTERS.createRadar;
/** Starts (or joins) the creation of a case monitor, paid once for its reference. Default id `monitor.<account>.case.<reference>`. */
export const startCreateCaseMonitor = STARTERS.createCaseMonitor;
/** Starts (or joins) the deactivation of a monitor. Default id `monitor.<account>.off.<kind>.<id>`. */
export const startDeactivateMonitor = STARTERS.deactivateMonitor;
/** Starts (or joins) the audit of an account's monitors, which is free. Default id `monitor.<account>.audit`. */
export const startAuditMonitors = STARTERS.auditMonitors;
