/** `tramita settle` and `tramita resume`: a person's decision about a parked flow. */
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { present } from '../../contract/index.js';
import { resumeProblem, settleChargeProblem, type ResumeInput, type SettleChargeInput } from '../../protocol/index.js';
import { resumeFlow, settleCharge } from '../../starters/index.js';
import type { CommandSetup } from '../context.js';
import { EXIT, failure, refuse, type ExitCode } from '../exit-codes.js';
import { KEYS_CURE, readableMessage } from '../output/flow-failure.js';
import { JSON_OPTION, print, type JsonFlag } from '../output/output.js';
import { shellWord } from '../output/shell-word.js';
import { settleMany } from '../settle/settle-many.js';
import { askProgress } from '../wait-for-flow.js';
import { refuseOtherSettings } from '../with/with-database.js';
import { readConfig } from '../with/settings.js';
import { whyUnanswered } from '../with/why-unanswered.js';
import { withClient } from '../with/with-client.js';

const WHERE_HELP =
  'undecided charges that match: account=… operation=… state=unknown|charged_lost|pending older-than=2h workflow=<prefix> reason=<text>';

/** The update `resume` answers when its attempt has a result, after 20 s at the latest. */
const DECIDED_WITHIN_MS = 30_000;

interface SettleFlags extends Omit<SettleChargeInput, 'step' | 'intentId'>, JsonFlag {
  readonly step?: string;
  readonly intent?: string;
  readonly where?: readonly string[];
  readonly yes?: boolean;
}

export function addDecisionCommands(program: Command, setup: CommandSetup): void {
  const { context, run } = setup;
  program
    .command('settle')
    .description('decide the charge of one parked step, or many charges at once')
    .argument('[workflow id]')
    .option('--step <step>', 'the parked step, as "tramita status" names it')
    .option(
      '--intent <id>',
      'the charge of that step, as "tramita status" shows it; refused if the step has another one by now',
    )
    .option('--where <filter...>', WHERE_HELP)
    .requiredOption('--decision <decision>', 'not-charged, charged or abandon')
    .requiredOption('--by <who>', 'a name or a ticket, kept in the ledger')
    .option(
      '--request-id <uuid>',
      'with "charged": the id of the work, to poll for its answer; --where must match one charge',
    )
    .option('--note <text>', 'kept in the ledger')
    .option('--yes', 'with --where: do it; without this flag, only list the charges')
    .option(...JSON_OPTION)
    .action(
      run((workflowId: string | undefined, { json, where, yes, step, intent, ...given }: SettleFlags) => {
        if (where !== undefined) {
          refuse(manyProblem(workflowId, { step, intent }));
          refuse(settleChargeProblem({ ...given, step: 'any' }));
          return settleMany(context, { ...given, where, yes: yes === true, json: json === true });
        }
        const input = { ...given, step: step ?? '', ...present({ intentId: intent }) };
        refuse(oneProblem(workflowId, step, yes));
        refuse(settleChargeProblem(input));
        const id = workflowId ?? '';
        return decide(setup, { workflowId: id, json }, (client) => settleCharge(client, id, input));
      }),
    );
  program
    .command('resume')
    .description('let a parked flow try again now')
    .argument('<workflow id>')
    .requiredOption('--by <who>', 'a name or a ticket')
    .option('--note <text>')
    .option('--max-spend <amount>', 'raise the cap of this flow (maxSpend of its input), e.g. 12.50')
    .option(...JSON_OPTION)
    .action(
      run((workflowId: string, { json, ...given }: ResumeInput & JsonFlag) => {
        refuse(resumeProblem(given));
        return decide(setup, { workflowId, json }, (client) => resumeFlow(client, workflowId, given));
      }),
    );
}

/** Pure. */
function manyProblem(
  workflowId: string | undefined,
  { step, intent }: Readonly<Record<'step' | 'intent', string | undefined>>,
): string | undefined {
  if (workflowId !== undefined) return `give a workflow id ("${workflowId}") or --where, not both`;
  if (step !== undefined) return '--step goes with one workflow id; with --where use operation=… or workflow=…';
  return intent === undefined ? undefined : '--intent goes with one workflow id and --step';
}

function oneProblem(
  workflowId: string | undefined,
  step: string | undefined,
  yes: boolean | undefined,
): string | undefined {
  if (workflowId === undefined) return 'give the workflow id of a parked flow, or --where with filters';
  if (step === undefined) return '--step is missing: the parked step, as "tramita status" names it';
  return yes === true ? '--yes goes with --where' : undefined;
}

async function decide(
  { context }: CommandSetup,
  { workflowId, json }: { readonly workflowId: string; readonly json: boolean | undefined },
  send: (client: Parameters<typeof settleCharge>[0]) => Promise<object>,
): Promise<ExitCode> {
  await refuseOtherSettings(readConfig(context));
  return withClient(context, async (client) => {
    // Without the payload keys the history would hold the decision in clear, and its answer could not be read here.
    const probe = await askProgress(client, workflowId);
    if (probe !== undefined && probe.progress === undefined) {
      throw failure(`nothing was decided: the answer of "${workflowId}" cannot be read here: ${KEYS_CURE}`);
    }
    const answer = await client
      .withDeadline(Date.now() + DECIDED_WITHIN_MS, () => send(client))
      .catch((error: unknown) => explain(client, error));
    print(context, json, { workflowId, ...answer }, `${workflowId}: ${JSON.stringify(answer)}`);
    return 'resumed' in answer && answer.resumed === false ? EXIT.needsPerson : EXIT.ok;
  });

  async function explain(client: Client, error: unknown): Promise<never> {
    const { name, cause } = error as { readonly name?: string; readonly cause?: { readonly message?: string } };
    if (name === 'WorkflowUpdateFailedError')
      throw failure(readableMessage(cause?.message ?? 'the flow refused the decision'));
    if (name === 'WorkflowNotFoundError') {
      throw failure(
        `no flow "${workflowId}" is running: it has ended (tramita status ${shellWord(workflowId)}), or there is none with this id; to decide a charge that an ended flow has left: tramita settle --where ${shellWord(`workflow=${workflowId}`)} (this lists the charges of every id that begins so)`,
      );
    }
    if (name === 'WorkflowUpdateRPCTimeoutOrCancelledError') {
      throw failure(
        `${await whyUnanswered(client, workflowId, DECIDED_WITHIN_MS)}; see whether the decision was accepted: tramita status ${shellWord(workflowId)}`,
      );
    }
    throw error;
  }
}
