/** Whether a call is allowed, and what it is, by catalogue and configuration, without I/O: flows ask before they spend. */
import {
  applyGaps,
  canonicalParameters,
  expectedPrice,
  formatAmount,
  isCharged,
  pageParameterOf,
  present,
  shownJson,
  shownName,
  statedPrice,
  type FlagName,
  type Gaps,
  type Operation,
  type Parameters,
  type ParameterValue,
} from '../../contract/index.js';
import { legacyQueueOf, type CallDescription, type DescribeCallInput } from '../../protocol/index.js';
import { callProblem } from './call-problem.js';
import type { AccountDeps, ServiceDeps, TermDeps } from '../deps.js';

const SHOWN_IDS = 60;

type Deps = Pick<ServiceDeps, 'catalogue' | 'gaps'> &
  TermDeps & { readonly accounts: ReadonlyMap<string, Pick<AccountDeps, 'baseUrl'>> };

export function describeCall(deps: Deps, input: DescribeCallInput): CallDescription {
  const { catalogue, gaps, token } = deps;
  const { account: name, body } = input;
  if (!catalogue.has(input.operation)) {
    const ids = catalogue.operations.map(({ id }) => id).slice(0, SHOWN_IDS);
    return refused(`input.operation "${shownName(input.operation)}" is not in the catalogue; known: ${ids.join(', ')}`);
  }
  const operation = catalogue.operationOf(input.operation);
  // During a deploy, workers with other accounts run side by side, so a flow that goes on may name an account that is unknown
  // here. A legacy call needs its account: the base URL names the queue.
  const account = deps.accounts.get(name);
  if (account === undefined && (input.goesOn !== true || operation.answer === 'legacy')) {
    return refused(
      `input.account "${name}" is not configured; configured accounts: ${[...deps.accounts.keys()].join(', ')}`,
    );
  }
  const split = splitFlags(operation, input.params, gaps);
  if (!split.ok) return refused(`input.${split.problem}`);
  const params = canonicalParameters(operation, split.params, gaps);
  const flags = [...new Set([...(input.flags ?? []), ...split.flags])];
  const problem = callProblem(deps, { operation, params: split.params, flags, body });
  if (problem !== undefined) return refused(`input.${problem}`);
  const pageParameter = pageParameterOf(applyGaps(operation, gaps));
  const charged = isCharged(operation, params);
  return {
    known: true,
    operation: operation.id,
    method: operation.method,
    charge: operation.charge,
    charged,
    price: charged ? formatAmount(expectedPrice(deps.prices, operation, null)) : '0',
    ...(charged && statedPrice(deps.prices, operation) !== undefined ? { priceStated: true } : {}),
    paging: operation.paging,
    file: operation.answer === 'pdf',
    evidence: operation.evidence === 'listing' ? 'listing' : 'other',
    params,
    flags,
    ...present({ pageParameter }),
    ...(operation.answer === 'legacy' && account !== undefined ? { queueOf: legacyQueueOf(account.baseUrl) } : {}),
    token: token('call', { operation: operation.id, params, body }),
  };
}

function refused(problem: string): CallDescription {
  return { known: false, problem };
}

type SplitFlags =
  | { readonly ok: true; readonly params: Parameters; readonly flags: readonly FlagName[] }
  | { readonly ok: false; readonly problem: string };

/**
 * Turns flags that a caller wrote among the parameters, under their configured name (`gaps.documentsFlag`), into flags of the
 * call. A caller cannot set the callback flag: it depends on whether a webhook is expected.
 */
function splitFlags(operation: Operation<string>, params: Parameters, gaps: Gaps): SplitFlags {
  const { documentsFlag, callbackFlag } = gaps;
  if (operation.flags.includes('callback') && Object.hasOwn(params, callbackFlag.name)) {
    return {
      ok: false,
      problem: `params.${callbackFlag.name} is set by the flow; give "webhook": true or false instead`,
    };
  }
  if (!operation.flags.includes('documents') || !Object.hasOwn(params, documentsFlag.name)) {
    return { ok: true, params, flags: [] };
  }
  const { [documentsFlag.name]: given, ...rest } = params;
  const on = readSwitch(given);
  if (on === undefined) {
    return { ok: false, problem: `params.${documentsFlag.name} must be true or false; seen: ${shownJson(given)}` };
  }
  return { ok: true, params: rest, flags: on ? ['documents'] : [] };
}

function readSwitch(value: ParameterValue | undefined): boolean | undefined {
  if (value === true || value === 'true' || value === 1 || value === '1') return true;
  return value === false || value === 'false' || value === 0 || value === '0' ? false : undefined;
}
