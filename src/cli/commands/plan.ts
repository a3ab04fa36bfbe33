/** `tramita plan <flow>`: what a start would cost and what would stop it, from our own database. Sends nothing to the service. */
import type { Command } from 'commander';
import { withoutPrefix } from '../../contract/values/index.js';
import type { CostAhead, FlowCostPlan, PlanDeps } from '../../planning/index.js';
import type { CommandSetup } from '../context.js';
import { failure, usageError } from '../exit-codes.js';
import { readFlow } from '../input/flow-input.js';
import { createStatusLine, formatTable, JSON_OPTION, print, type JsonFlag } from '../output/output.js';
import { readConfig } from '../with/settings.js';
import { checkStarterConfig, withDatabase } from '../with/with-database.js';
import { withClient } from '../with/with-client.js';

interface Flags extends JsonFlag {
  readonly input?: string;
  readonly list?: string;
  readonly ledgerOnly?: boolean;
}

export function addPlanCommand(program: Command, { context, run }: CommandSetup): void {
  program
    .command('plan')
    .description('show what a start would cost, what is already paid, and which cap would stop it; sends nothing')
    .argument('<flow>', 'workflow type')
    .option('--input <json>', 'the input as one JSON object, as for start', '{}')
    .option('--list <name>', 'one flow per case of this stored list, or the list of a portfolio')
    .option('--ledger-only', 'do not ask Temporal whether the flow is running')
    .option(...JSON_OPTION)
    .action(
      run(async (flow: string, { input: json, list, ledgerOnly, json: asJson }: Flags) => {
        const { type, input } = readFlow(flow, json);
        const config = readConfig(context);
        await checkStarterConfig(config);
        const { CASE_FLOWS, planFlow, planList } = await import('../../planning/index.js');
        const caseFlow = CASE_FLOWS.find((known) => known === type);
        const makePlan = (deps: PlanDeps): Promise<FlowCostPlan> => {
          if (list === undefined) return planFlow(deps, type, input as never);
          if (type === 'refreshPortfolio') return planFlow(deps, type, { ...input, name: list });
          if (caseFlow !== undefined) return planList(deps, caseFlow, { list, input });
          throw usageError(`--list goes with ${[...CASE_FLOWS, 'refreshPortfolio'].join(', ')}`);
        };
        const status = createStatusLine(context);
        const onCase = (done: number, of: number): void => {
          if (context.isTerminal && (done % 100 === 0 || done === of)) status.show(`looked up ${done} of ${of} cases`);
        };
        const plan = await withDatabase(config, (db) => {
          const asksTemporal = ledgerOnly !== true && (list === undefined || type === 'refreshPortfolio');
          const deps = { db, config, onCase };
          return asksTemporal ? withClient(context, (client) => makePlan({ ...deps, client })) : makePlan(deps);
        }).catch((error: unknown) => {
          status.clear();
          const { message } = error as Error;
          throw message.startsWith('tramita: input.') ? usageError(withoutPrefix(message)) : error;
        });
        status.clear();
        print(context, asJson, plan, textOf(plan));
        if (plan.problem !== null) throw failure(`it would not be started: ${plan.problem}`);
      }),
    );
}

function textOf({ flows, cost, calls, stop, hold, running, problem }: FlowCostPlan): readonly string[] {
  const head = [...(flows > 1 ? ['FLOWS'] : ['STEP']), 'OPERATION', 'STATE', 'CALLS', 'PRICE', 'KNOWN FROM'];
  const rows = calls.map((call) => [
    flows > 1 ? String(call.count ?? 1) : (call.step ?? ''),
    call.operation,
    call.state,
    call.least === call.most ? String(call.most) : `${call.least} to ${call.most}`,
    call.most === 0 ? '-' : (call.price ?? 'unknown'),
    call.priceFrom ?? '-',
  ]);
  return [
    ...(rows.length === 0 ? [] : [formatTable(head, rows), '']),
    // Nothing was planned: a cost of 0 would read as if there were nothing to pay.
    ...(problem !== null && calls.length === 0 ? [] : [costText(cost)]),
    ...(running === null
      ? []
      : [`running: ${running.workflowId}; a start ${running.sameInput ? 'joins it, and adds nothing' : 'is refused'}`]),
    ...(stop === null
      ? []
      : [
          `stops: ${stop.operation} does not fit under the cap "${stop.cap}" (${stop.limit}; needed ${stop.needed}), ` +
            `after ${stop.spentBefore ?? 'an unknown amount'}; ${stop.ends ? 'it ends as BudgetExceeded' : 'it parks until a person resumes'}`,
        ]),
    ...(hold === null ? [] : [`waits: ${hold}`]),
  ];
}

function costText(cost: CostAhead): string {
  switch (cost.kind) {
    case 'exact':
      return `cost: ${cost.amount}, if every call succeeds`;
    case 'at most':
      return `cost: at most ${cost.amount}`;
    case 'cap':
      return `cost: unknown, because a price is not known; a cap of ${cost.amount} stops it, and the last call may exceed it`;
    case 'unknown':
      return 'cost: unknown, because a price is not known; set "prices" in the configuration, or give "maxSpend"';
  }
}
