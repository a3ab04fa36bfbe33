/** May this call be made as asked, and what is it? From catalogue and configuration, no I/O: flows ask before they spend. */
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
  // Workers with other accounts run side by side while they are replaced; a legacy queue is named by the account's address.
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
    paging: operation.paging,
    file: operation.answer === 'pdf',
    announcedByWebhook: operation.announcedByWebhook,
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
 * Flags that a caller writes among the parameters, under the name that configuration gives them (`gaps.documentsFlag`), become
 * flags of the call. The callback flag is not the caller's to set: whether a webhook is expected decides.
 */
function splitFlags(operation: Operation<string>, params: Parameters, gaps: Gaps): SplitFlags {
  const { documentsFlag, callbackFlag } = gaps;
  if (operation.flags.includes('callback') && Object.hasOwn(params, callbackFlag.name)) {
    return {
      ok: false,
      problem: `params.${callbackFlag.name} is set by the flow; say "webhook": true or false instead`,
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
