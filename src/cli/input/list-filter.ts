/** Options of `tramita list` → a query of Temporal's visibility. Pure. */
import { parseCnj, parseDurationMs } from '../../contract/index.js';
import { shownJson } from '../../contract/values/index.js';
import { nameCase, SEARCH_ATTRIBUTES, WORKFLOW_TYPES, type Naming } from '../../protocol/index.js';
import { usageError } from '../exit-codes.js';

export interface ListFlags {
  readonly attention?: boolean;
  readonly flow?: string;
  readonly case?: string;
  readonly account?: string;
  readonly status?: FlowStatusName;
  readonly olderThan?: string;
  readonly newerThan?: string;
}

/** Name on the command line → name in visibility. */
export const FLOW_STATUSES = {
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  canceled: 'Canceled',
  terminated: 'Terminated',
  'timed-out': 'TimedOut',
  'continued-as-new': 'ContinuedAsNew',
} as const;
export type FlowStatusName = keyof typeof FLOW_STATUSES;

/** Safe between the quotes of a query. All names of accounts and all tokens have this form. */
const PLAIN = /^[\w.:@-]{1,200}$/;

/** `accounts`: the configured ones; a case has its own name in each account that masks. @throws a usage error. */
export function visibilityQuery(
  flags: ListFlags,
  {
    accounts,
    naming,
    nowMs,
  }: { readonly accounts: readonly string[]; readonly naming: Naming; readonly nowMs: number },
): string {
  const { attention, flow, account, status } = flags;
  const age = (name: string, text: string): string => {
    const durationMs = parseDurationMs(text);
    if (durationMs === undefined) throw usageError(`${name}: seen "${text}"; expected a duration like 2h or 7d`);
    return `"${new Date(nowMs - durationMs).toISOString()}"`;
  };
  if (flow !== undefined && !WORKFLOW_TYPES.some((type) => type === flow)) {
    throw usageError(`--flow: there is no flow "${flow}"; known: ${WORKFLOW_TYPES.join(', ')}`);
  }
  if (account !== undefined && !PLAIN.test(account)) throw usageError('--account: expected the name of an account');
  return [
    attention === true
      ? `${SEARCH_ATTRIBUTES.attention} IS NOT NULL AND ExecutionStatus = "Running"`
      : `${SEARCH_ATTRIBUTES.flow} IS NOT NULL`,
    ...(flow === undefined ? [] : [`${SEARCH_ATTRIBUTES.flow} = "${flow}"`]),
    ...(account === undefined ? [] : [`${SEARCH_ATTRIBUTES.account} = "${account}"`]),
    ...(flags.case === undefined ? [] : [caseQuery(flags.case, account === undefined ? accounts : [account], naming)]),
    ...(status === undefined ? [] : [`ExecutionStatus = "${FLOW_STATUSES[status]}"`]),
    ...(flags.olderThan === undefined ? [] : [`StartTime < ${age('--older-than', flags.olderThan)}`]),
    ...(flags.newerThan === undefined ? [] : [`StartTime > ${age('--newer-than', flags.newerThan)}`]),
  ].join(' AND ');
}

/** `given` is a case number, or its token in an account that masks. */
function caseQuery(given: string, accounts: readonly string[], naming: Naming): string {
  const parsed = parseCnj(given);
  if (!parsed.ok && (!PLAIN.test(given) || /^\d/.test(given)))
    throw usageError(`--case ${parsed.problem}; seen: ${shownJson(given)}`);
  const keys = parsed.ok ? accounts.map((account) => nameCase(naming, account, parsed.cnj).key) : [given];
  return `${SEARCH_ATTRIBUTES.case} IN (${[...new Set(keys)].map((key) => `"${key}"`).join(', ')})`;
}
