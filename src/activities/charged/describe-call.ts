/** May this call be made as asked, and what is it? From catalogue and configuration, no I/O: flows ask before they spend. */
import {
  applyGaps,
  canonicalParameters,
  expectedPrice,
  formatAmount,
  isCharged,
  pageParameterOf,
} from '../../contract/index.js';
import { legacyQueueOf, type CallDescription, type DescribeCallInput } from '../../protocol/index.js';
import { callProblem } from './call-problem.js';
import type { ActivityDeps } from '../deps.js';
import { splitFlags } from './split-flags.js';

const SHOWN_IDS = 60;

export function describeCall(deps: ActivityDeps, input: DescribeCallInput): CallDescription {
  const { catalogue, gaps, token } = deps;
  const { account: name, body } = input;
  const account = deps.accounts.get(name);
  if (account === undefined) {
    return refused(
      `input.account "${name}" is not configured; configured accounts: ${[...deps.accounts.keys()].join(', ')}`,
    );
  }
  if (!catalogue.has(input.operation)) {
    const ids = catalogue.operations.map(({ id }) => id).slice(0, SHOWN_IDS);
    return refused(
      `input.operation "${input.operation.slice(0, 60)}" is not in the catalogue; known: ${ids.join(', ')}`,
    );
  }
  const operation = catalogue.operationOf(input.operation);
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
    ...(pageParameter === undefined ? {} : { pageParameter }),
    ...(operation.answer === 'legacy' ? { queueOf: legacyQueueOf(account.baseUrl) } : {}),
    token: token('call', { operation: operation.id, params, body }),
  };
}

function refused(problem: string): CallDescription {
  return { known: false, problem };
}
