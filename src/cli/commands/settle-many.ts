/**
 * `tramita settle --where …`: one decision about many charges. Without `--yes` it only lists them. Each is decided through its
 * flow, so that the flow goes on. If no flow is parked on the charge, it is decided in the ledger, and the flows that wait for
 * the row are woken. A failure never stops the rest.
 */
import type { Client } from '@temporalio/client';
import type { Config } from '../../config/index.js';
import { formatAmount, OPERATIONS, present } from '../../contract/index.js';
import { createInbox, type Inbox } from '../../inbox/index.js';
import {
  isDecisionRefused,
  listUndecided,
  MOST_UNDECIDED,
  type Intent,
  type Ledger,
  type UndecidedFilter,
} from '../../ledger/index.js';
import { NOT_PARKED, type ChargeDecision, type SettleChargeInput } from '../../protocol/index.js';
import { settleCharge } from '../../starters/index.js';
import type { CliContext } from '../context.js';
import { EXIT, usageError, type ExitCode } from '../exit-codes.js';
import { readableMessage } from '../output/flow-failure.js';
import { createStatusLine, formatTable, print, printable } from '../output/output.js';
import { noteLook } from '../with/note-look.js';
import { readConfig } from '../with/settings.js';
import { parseWhere } from '../input/settle-filter.js';
import { accountNamed } from '../input/account.js';
import { whyUnanswered } from '../with/why-unanswered.js';
import { ANSWER_WITHIN_MS, withClient } from '../with/with-client.js';
import { refuseOtherSettings, withDatabase } from '../with/with-database.js';
import { openLedger } from '../with/with-ledger.js';
import { refuseOtherNamespace } from '../with/namespace-of-flows.js';
import { wakeWaiters } from '../with/wake-waiters.js';

export interface SettleMany {
  readonly where: readonly string[];
  readonly decision: ChargeDecision;
  readonly by: string;
  readonly note?: string | undefined;
  readonly yes: boolean;
  readonly json: boolean;
  /** How many charges one run decides at most; tests lower the default of 10,000. */
  readonly most?: number;
}

/** One decision, as it is given to the flow or the ledger. */
export type DecisionInput = Pick<SettleChargeInput, 'decision' | 'by'> &
  Readonly<Partial<Record<'note' | 'requestId', string | undefined>>>;

type How = 'by its flow' | 'in the ledger' | 'failed';
export interface Decided {
  readonly intent: Intent;
  readonly how: How;
  readonly problem?: string;
}

const AT_ONCE = 5;

export async function settleMany(context: CliContext, wanted: SettleMany): Promise<ExitCode> {
  const config = readConfig(context);
  const nowMs = Date.now();
  const filter = { ...parseWhere(wanted.where, nowMs), nowMs };
  await refuseOtherSettings(config);
  return withDatabase(config, async (db) => {
    const { most = MOST_UNDECIDED } = wanted;
    const found = await listUndecided(db, filter, most + 1);
    const [intents, more] = [found.slice(0, most), found.length > most];
    if (intents.length === 0) refuseUnknownNames(filter, config);
    await noteLook(db, { by: wanted.by, via: 'settle --where', items: intents.length });
    if (!wanted.yes || intents.length === 0) {
      report(context, wanted, { intents, more });
      return EXIT.ok;
    }
    await refuseOtherNamespace(context, db);
    const ledger = openLedger(db, config);
    const inbox = createInbox({ db, clock: Date.now });
    return withClient(context, async (client) => {
      const done = await decideAll(context, intents, (intent) => decideOne({ client, ledger, inbox, wanted, intent }));
      reportDone(context, wanted, { done, more });
      if (done.some(({ how }) => how === 'failed')) return EXIT.failed;
      return more ? EXIT.needsPerson : EXIT.ok;
    });
  });
}

/** Only called if no charge matches: charges of an account that is no longer configured can still be settled. */
function refuseUnknownNames({ account, operation }: UndecidedFilter, config: Config): void {
  if (account !== undefined) accountNamed(config, account, '--where account');
  const ids = [...OPERATIONS, ...config.operations].map(({ id }) => id);
  if (operation !== undefined && !ids.some((id) => id === operation)) {
    throw usageError(
      `--where operation: there is no operation "${printable(operation)}"; "tramita operations" lists them`,
    );
  }
}

/** Makes a few decisions at once. `decide` must not reject. */
export async function decideAll<T>(
  context: CliContext,
  charges: readonly T[],
  decide: (charge: T) => Promise<Decided>,
): Promise<readonly Decided[]> {
  const status = createStatusLine(context);
  const queue = [...charges];
  const done: Decided[] = [];
  const work = async (): Promise<void> => {
    for (let charge = queue.shift(); charge !== undefined; charge = queue.shift()) {
      done.push(await decide(charge));
      if (context.isTerminal) status.show(`decided ${done.length} of ${charges.length}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  status.clear();
  return done;
}

interface DecisionTask {
  readonly client: Client;
  readonly ledger: Pick<Ledger, 'decide'>;
  readonly inbox: Inbox;
  readonly wanted: DecisionInput;
  readonly intent: Intent;
}

/** Decides through the flow, or in the ledger if no flow is parked on the charge. Never rejects. */
export async function decideOne(task: DecisionTask): Promise<Decided> {
  const { client, wanted, intent } = task;
  const decide = (named: Pick<SettleChargeInput, 'intentId'>): Promise<unknown> =>
    client.withDeadline(Date.now() + ANSWER_WITHIN_MS, () => {
      const input = { step: intent.step, ...named, ...decisionOf(wanted) };
      return settleCharge(client, intent.workflowId, input, { firstRunId: intent.firstRunId });
    });
  try {
    await decide({ intentId: intent.intentId }).catch((error: unknown) => {
      // An older worker runs the flow.
      if (/unknown member "intentId"/.test(problemOf(error))) return decide({});
      throw error;
    });
    return { intent, how: 'by its flow' };
  } catch (error) {
    const { name, cause } = error as UpdateError;
    if (name === 'WorkflowNotFoundError') return decideInLedger(task);
    if (name !== 'WorkflowUpdateFailedError') return { intent, how: 'failed', problem: await noAnswer(task, name) };
    const problem = problemOf(error);
    return standsElsewhere(problem, cause?.type) ? decideInLedger(task) : { intent, how: 'failed', problem };
  }
}

function decisionOf({ decision, by, note, requestId }: DecisionInput): Omit<SettleChargeInput, 'step' | 'intentId'> {
  return { decision, by, ...present({ note, requestId }) };
}

function problemOf(error: unknown): string {
  const { name, cause } = error as UpdateError;
  return readableMessage(cause?.message ?? name ?? 'unknown error');
}

/** `name` says why an update has no answer; `cause` is set if the flow has refused it. */
interface UpdateError {
  readonly name?: string;
  readonly cause?: { readonly type?: string; readonly message?: string };
}

/** Does the refusal say that the flow is not parked on this charge? By its type, or by its text from an older worker. Pure. */
export function standsElsewhere(problem: string, type?: string): boolean {
  return type === NOT_PARKED || /nothing is parked|is not parked|is not what "/.test(problem);
}

async function noAnswer({ client, intent }: DecisionTask, name: string | undefined): Promise<string> {
  return name === 'WorkflowUpdateRPCTimeoutOrCancelledError'
    ? whyUnanswered(client, intent.workflowId, ANSWER_WITHIN_MS)
    : `Temporal refused it (${name ?? 'unknown error'})`;
}

async function decideInLedger(task: DecisionTask): Promise<Decided> {
  const { ledger, wanted, intent } = task;
  try {
    const { wake } = await ledger.decide({ intentId: intent.intentId, ...decisionOf(wanted) });
    await wakeWaiters(task, { intentId: intent.intentId, workflowIds: wake, reason: 'decided' });
    return { intent, how: 'in the ledger' };
  } catch (error) {
    const problem = isDecisionRefused(error)
      ? (error as Error).message
      : `the ledger failed (${(error as Error).name})`;
    return { intent, how: 'failed', problem };
  }
}

const MORE = 'there are more: run it again';

function report(
  context: CliContext,
  { decision, json, yes }: SettleMany,
  { intents, more }: { readonly intents: readonly Intent[]; readonly more: boolean },
): void {
  const charges = intents.map(rowOf);
  const { count, reserved } = sums(intents);
  const table = formatTable(
    ['SENT', 'STATE', 'OPERATION', 'RESERVED', 'WORKFLOW', 'REASON'],
    charges.map((row) => [row.openedAt, row.state, row.operation, row.reserved, row.workflowId, row.reason ?? '']),
  );
  const plan = `${count} charges, reserved ${reserved}, would be decided "${decision}". Nothing was done: add --yes${more ? `; ${MORE} afterwards` : ''}`;
  const lines = count === 0 ? ['no undecided charge matches'] : [table, `\n${plan}`];
  print(context, json, { dryRun: !yes, decision, count, reserved, more, charges }, lines);
}

function reportDone(
  context: CliContext,
  { decision, json }: SettleMany,
  { done, more }: { readonly done: readonly Decided[]; readonly more: boolean },
): void {
  const ended = (end: How): readonly Decided[] => done.filter(({ how }) => how === end);
  const [byFlow, inLedger, failed] = [ended('by its flow').length, ended('in the ledger').length, ended('failed')];
  const facts = { dryRun: false, decision, ...sums(done.map(({ intent }) => intent)), byFlow, inLedger, more };
  print(context, json, { ...facts, failed: failed.map(({ intent, problem }) => ({ ...rowOf(intent), problem })) }, [
    ...failed.map(failedText),
    `decided "${decision}": ${byFlow} by their flows, ${inLedger} in the ledger; failed: ${failed.length}`,
    ...(more ? [MORE] : []),
  ]);
}

export function failedText({ intent, problem = '' }: Decided): string {
  return `! ${intent.workflowId} ${intent.step}: ${problem}`;
}

function sums(intents: readonly Intent[]): { readonly count: number; readonly reserved: string } {
  const reserved = intents.reduce((sum, intent) => sum + intent.reserved, 0);
  return { count: intents.length, reserved: formatAmount(reserved) };
}

function rowOf({ intentId, account, workflowId, step, operation, state, reserved, reason, openedAtMs }: Intent) {
  return {
    intentId,
    account,
    workflowId,
    step,
    operation,
    state,
    reason,
    reserved: formatAmount(reserved),
    openedAt: new Date(openedAtMs).toISOString(),
  };
}
