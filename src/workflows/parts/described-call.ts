/** Asks the worker about a call before it is made, and builds its charged step. A refusal ends the flow unpaid. */
import type { Parameters } from '../../contract/route.js';
import { parseCnj, present, type Cnj } from '../../contract/values/index.js';
import type { DescribeCallInput, DescribedCall } from '../../protocol/index.js';
import { localCalls } from '../flow/calls.js';
import type { Flow } from '../flow/flow.js';
import type { ChargedStep } from '../step/step-run.js';

/** Arguments of the call that have another name in the input of the flow: `body.webhook_url` → `webhookUrl`. */
export type MemberNames = Readonly<Record<string, string>>;

/** @throws the flow's `InvalidInput`, naming the member, what was seen and what is accepted. */
export async function describe(
  flow: Flow,
  call: Omit<DescribeCallInput, 'account' | 'goesOn'>,
  names: MemberNames = {},
): Promise<DescribedCall> {
  const { account } = flow.settings;
  const description = await localCalls().describeCall({ account, ...call, ...(flow.paid() ? { goesOn: true } : {}) });
  if (description.known) return description;
  const problem = inMembers(description.problem, names);
  throw flow.fail('InvalidInput', `${problem}. Nothing was sent`, { operation: call.operation });
}

/** Renames the argument at the beginning of the problem to the member of the input, by the first of `names` that fits. */
function inMembers(problem: string, names: MemberNames): string {
  const [place, member] = Object.entries(names).find(([name]) => problem.startsWith(`input.${name}`)) ?? [];
  return place === undefined ? problem : `input.${member ?? ''}${problem.slice(`input.${place}`.length)}`;
}

/** The step of a described call: parameters in the spelling of the catalogue, its queue, its evidence. */
export function stepOf(call: DescribedCall, { step, title }: Pick<ChargedStep, 'step' | 'title'>): ChargedStep {
  const { operation, params, flags, file, queueOf, evidence } = call;
  return {
    step,
    title,
    operation,
    params,
    flags,
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
