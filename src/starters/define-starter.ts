/**
 * Makes the typed starter of one workflow type: input checked before anything starts, the id from what the flow is about. What
 * differs between starters is a few lines of data in a file each; how a flow is started is `start-flow.ts`.
 */
import type { CommonSettings, Parsed, WorkflowType } from '../protocol/index.js';
import { invalidInput } from './errors.js';
import { startFlow, type FlowHandle, type StartOptions, type StarterDeps } from './start-flow.js';

/**
 * A function that starts one kind of flow, or joins the run that is on its way: asking twice is one run.
 *
 * @throws InvalidInput (an `ApplicationFailure`) before anything is started; {@link DifferentInput} when a run with this id
 * is on its way that would not give what is asked.
 */
export type Starter<Input, Result> = (
  deps: StarterDeps,
  input: Input,
  options?: StartOptions,
) => Promise<FlowHandle<Result>>;

export interface FlowDefinition<Settings> {
  readonly type: WorkflowType;
  readonly parse: (input: unknown) => Parsed<Settings>;
  readonly place: (settings: Settings, deps: StarterDeps) => FlowPlace;
}

/** Where a flow is found and how it is shown. Personal data only as tokens. */
export interface FlowPlace {
  readonly id: string;
  readonly summary: string;
  /** The case number (or its token) where the flow is about one case. */
  readonly caseAttribute?: string | undefined;
}

export function defineStarter<Settings extends CommonSettings, Input, Result>({
  type,
  parse,
  place,
}: FlowDefinition<Settings>): Starter<Input, Result> {
  return async (deps, input, options = {}) => {
    const parsed = parse(input);
    if (!parsed.ok) throw invalidInput(parsed.problem);
    const { id, ...shown } = place(parsed.value, deps);
    return startFlow<Result>(deps, {
      ...{ type, input, options, settings: parsed.value, ...shown },
      workflowId: options.workflowId ?? id,
      account: parsed.value.account,
    });
  };
}
