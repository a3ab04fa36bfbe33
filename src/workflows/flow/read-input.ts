/** Input of a run → settings, or the run fails at once with `InvalidInput`. Cron starts are refused here too. */
import { workflowInfo } from '@temporalio/workflow';
import { flowFailure, type CommonSettings, type Parsed } from '../../protocol/index.js';

export function readInput<T extends CommonSettings>(parse: (input: unknown) => Parsed<T>, input: unknown): T {
  const { cronSchedule } = workflowInfo();
  const parsed = parse(input);
  const problem =
    cronSchedule !== undefined && cronSchedule !== ''
      ? `started with cron schedule "${cronSchedule}"; use a Temporal Schedule instead (overlap SKIP, short catch-up)`
      : parsed.ok
        ? undefined
        : parsed.problem;
  if (parsed.ok && problem === undefined) return parsed.value;
  throw flowFailure('InvalidInput', `${problem ?? 'bad input'}. Nothing was sent`, {
    account: accountOf(input),
    spent: { known: '0', unknown: 0 },
    receipts: [],
  });
}

function accountOf(input: unknown): string {
  const account: unknown =
    typeof input === 'object' && input !== null && 'account' in input ? input.account : undefined;
  return typeof account === 'string' ? account.slice(0, 40) : 'default';
}
