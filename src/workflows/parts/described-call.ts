/** What the worker knows of a call before it is made, and the charged step that it becomes. A refusal ends the flow unpaid. */
import type { Parameters } from '../../contract/route.js';
import { parseCnj, present, type Cnj } from '../../contract/values/index.js';
import type { CallDescription, DescribeCallInput } from '../../protocol/index.js';
import { localCalls } from '../flow/calls.js';
import type { Flow } from '../flow/flow.js';
import type { ChargedStep } from '../step/step-run.js';

export type DescribedCall = Extract<CallDescription, { readonly known: true }>;

/** @throws the flow's `InvalidInput`, naming the member, what was seen and what is accepted. */
export async function describe(flow: Flow, call: Omit<DescribeCallInput, 'account'>): Promise<DescribedCall> {
  const description = await localCalls().describeCall({ account: flow.settings.account, ...call });
  if (description.known) return description;
  throw flow.fail('InvalidInput', `${description.problem}. Nothing was sent`, { operation: call.operation });
}

/** The step of a described call: parameters in the spelling of the catalogue, its queue, its evidence. */
export function stepOf(call: DescribedCall, { step, title }: Pick<ChargedStep, 'step' | 'title'>): ChargedStep {
  const { operation, params, flags, file, queueOf, evidence } = call;
  return {
    ...{ step, title, operation, params, flags },
    ...(file ? { file } : {}),
    ...(evidence === 'listing' ? { listing: true } : {}),
    ...present({ queueOf }),
  };
}

/** The case that a call is about, where its parameters name one. */
export function caseOf({ cnj }: Parameters): Cnj | undefined {
  const parsed = parseCnj(cnj);
  return parsed.ok ? parsed.cnj : undefined;
}
