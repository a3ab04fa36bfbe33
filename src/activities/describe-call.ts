/** May this call be made as asked, and what is it? From catalogue and configuration, no I/O: flows ask before they spend. */
import { argumentsProblem, canonicalParameters, formatAmount, isCharged, parseAmount } from '../contract/index.js';
import type { CallDescription, DescribeCallInput } from '../protocol/index.js';
import type { ActivityDeps } from './deps.js';

const SHOWN_IDS = 60;

export function describeCall(deps: ActivityDeps, input: DescribeCallInput): CallDescription {
  const { catalogue, gaps, token } = deps;
  const { account, params, body, flags = [] } = input;
  if (!deps.accounts.has(account)) {
    return refused(
      `input.account "${account}" is not configured; configured accounts: ${[...deps.accounts.keys()].join(', ')}`,
    );
  }
  if (!catalogue.has(input.operation)) {
    const ids = catalogue.operations.map(({ id }) => id).slice(0, SHOWN_IDS);
    return refused(
      `input.operation "${input.operation.slice(0, 60)}" is not in the catalogue; known: ${ids.join(', ')}`,
    );
  }
  const operation = catalogue.operationOf(input.operation);
  const problem = argumentsProblem(operation, params, flags, { gaps, ...(body === undefined ? {} : { body }) });
  if (problem !== undefined) return refused(`input.${problem}`);
  const charged = isCharged(operation, params);
  return {
    known: true,
    operation: operation.id,
    method: operation.method,
    charge: operation.charge,
    charged,
    price: charged ? priceOf(deps, operation) : '0',
    paging: operation.paging,
    file: operation.answer === 'pdf',
    announcedByWebhook: operation.announcedByWebhook,
    evidence: operation.evidence === 'listing' ? 'listing' : 'other',
    token: token('call', { operation: operation.id, params: canonicalParameters(operation, params, gaps), body }),
  };
}

function priceOf({ prices }: ActivityDeps, operation: { readonly id: string; readonly price?: string }): string {
  const configured = Object.hasOwn(prices, operation.id) ? prices[operation.id] : undefined;
  const stated = operation.price === undefined ? undefined : parseAmount(operation.price);
  return formatAmount(configured ?? stated ?? prices.default);
}

function refused(problem: string): CallDescription {
  return { known: false, problem };
}
