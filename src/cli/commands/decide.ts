/** `tramita settle` and `tramita resume`: a person's decision about a parked flow. */
import type { Command } from 'commander';
import { resumeProblem, settleChargeProblem, type ResumeInput, type SettleChargeInput } from '../../protocol/index.js';
import { resumeFlow, settleCharge } from '../../starters/index.js';
import type { CommandSetup } from '../context.js';
import { EXIT, failure, usageError, type ExitCode } from '../exit-codes.js';
import { JSON_OPTION, printJson, printLine } from '../output.js';
import { ANSWER_WITHIN_MS, withClient } from '../with-client.js';

export function addDecisionCommands(program: Command, setup: CommandSetup): void {
  const { run } = setup;
  program
    .command('settle')
    .description('say what became of a charge that nobody can tell; accepted only while the step is parked')
    .argument('<workflow id>')
    .requiredOption('--step <step>', 'the parked step, as "tramita status" names it')
    .requiredOption('--decision <decision>', 'not-charged, charged or abandon')
    .requiredOption('--by <who>', 'a name or a ticket, kept in the ledger')
    .option('--request-id <uuid>', 'with "charged": the id of the work, to poll for its answer')
    .option('--note <text>', 'kept in the ledger')
    .option(...JSON_OPTION)
    .action(
      run((workflowId: string, { json, ...given }: SettleChargeInput & { json?: boolean }) => {
        refuse(settleChargeProblem(given));
        return decide(setup, { workflowId, json }, (client) => settleCharge(client, workflowId, given));
      }),
    );
  program
    .command('resume')
    .description('let a parked flow try again now')
    .argument('<workflow id>')
    .requiredOption('--by <who>', 'a name or a ticket')
    .option('--note <text>')
    .option(...JSON_OPTION)
    .action(
      run((workflowId: string, { json, ...given }: ResumeInput & { json?: boolean }) => {
        refuse(resumeProblem(given));
        return decide(setup, { workflowId, json }, (client) => resumeFlow(client, workflowId, given));
      }),
    );
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw usageError(problem);
}

function decide(
  { context }: CommandSetup,
  { workflowId, json }: { readonly workflowId: string; readonly json: boolean | undefined },
  send: (client: Parameters<typeof settleCharge>[0]) => Promise<object>,
): Promise<ExitCode> {
  return withClient(context, async (client) => {
    const answer = await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, () => send(client)).catch(explain);
    if (json === true) printJson(context, { workflowId, ...answer });
    else printLine(context, `${workflowId}: ${JSON.stringify(answer)}`);
    return EXIT.ok;
  });

  function explain(error: unknown): never {
    const { name, cause } = error as { readonly name?: string; readonly cause?: { readonly message?: string } };
    if (name === 'WorkflowUpdateFailedError') throw failure(cause?.message ?? 'the flow refused the decision');
    if (name === 'WorkflowNotFoundError') throw failure(`no flow "${workflowId}" is running`);
    if (name === 'WorkflowUpdateRPCTimeoutOrCancelledError') {
      throw failure(
        `no worker answered within ${ANSWER_WITHIN_MS / 1000} s; whether the decision was taken: tramita status '${workflowId}'`,
      );
    }
    throw error;
  }
}
