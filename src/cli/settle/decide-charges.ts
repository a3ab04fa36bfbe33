/**
 * Decides charges, each through its flow, so that the flow goes on. If no flow is parked on the charge, it is decided in the
 * ledger, and the flows that wait for the row are woken. A failure never stops the rest.
 */
import type { Client } from '@temporalio/client';
import type { Config } from '../../config/index.js';
import { present } from '../../contract/index.js';
import { createInbox, type Inbox } from '../../inbox/index.js';
import { isDecisionRefused, type Intent, type Ledger } from '../../ledger/index.js';
import { NOT_PARKED, type SettleChargeInput } from '../../protocol/index.js';
import { settleCharge } from '../../starters/index.js';
import type { Database } from '../../store/index.js';
import type { CliContext } from '../context.js';
import { readableMessage } from '../output/flow-failure.js';
import { createStatusLine } from '../output/output.js';
import { wakeWaiters } from '../with/wake-waiters.js';
import { whyUnanswered } from '../with/why-unanswered.js';
import { ANSWER_WITHIN_MS, withClient } from '../with/with-client.js';
import { openLedger } from '../with/with-ledger.js';

/** One decision, as it is given to the flow or the ledger. */
export type DecisionInput = Pick<SettleChargeInput, 'decision' | 'by'> &
  Readonly<Partial<Record<'note' | 'requestId', string | undefined>>>;

export interface Decided {
  readonly intent: Intent;
  readonly how: 'by its flow' | 'in the ledger' | 'failed';
  readonly problem?: string;
}

const AT_ONCE = 5;

/** Decides charges, a few at once. */
export async function decideAll(
  context: CliContext,
  { db, config }: { readonly db: Database; readonly config: Config },
  charges: readonly Pick<DecisionTask, 'intent' | 'wanted'>[],
): Promise<readonly Decided[]> {
  const stores = { ledger: openLedger(db, config), inbox: createInbox({ db, clock: Date.now }) };
  const status = createStatusLine(context);
  const queue = [...charges];
  const done: Decided[] = [];
  await withClient(context, async (client) => {
    const work = async (): Promise<void> => {
      for (let charge = queue.shift(); charge !== undefined; charge = queue.shift()) {
        done.push(await decideOne({ client, ...stores, ...charge }));
        if (context.isTerminal) status.show(`decided ${done.length} of ${charges.length}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  });
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
    const { wakes } = await ledger.decide({ intentId: intent.intentId, ...decisionOf(wanted) });
    await wakeWaiters(task, wakes, 'decided');
    return { intent, how: 'in the ledger' };
  } catch (error) {
    const problem = isDecisionRefused(error)
      ? (error as Error).message
      : `the ledger failed (${(error as Error).name})`;
    return { intent, how: 'failed', problem };
  }
}

export function failedText({ intent, problem = '' }: Decided): string {
  return `! ${intent.workflowId} ${intent.step}: ${problem}`;
}
