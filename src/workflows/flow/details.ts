/** The Markdown that an operator reads in the Temporal UI ("current details"). Pure; no secrets, no personal data. */
import { ActivityFailure, CancelledFailure, type TemporalFailure } from '@temporalio/common';
import { GIVE_UP_AFTER_MS, inShell } from '../../contract/values/index.js';
import type { Progress, ProgressStep } from '../../protocol/index.js';
import type { ParkingPlace } from './parking-place.js';

/** The flow that the text is about; the id is for commands that people copy. */
interface DetailsSubject {
  readonly label: string;
  readonly workflowId: string;
  /** Task queue of the charged call that the flow has asked for. */
  readonly callQueue?: string;
  /** The workflow that made the call of each step; undefined for the flow's own calls. */
  readonly madeBy?: readonly (string | undefined)[];
}

const WHAT_ATTENTION_MEANS: Readonly<Record<string, string>> = {
  'unknown-charge':
    'It is unknown how a charged call ended, and whether it was paid. tramita never repeats it on its own.',
  'ledger-lost':
    'The ledger has lost the record of a charged call that was made or may have been made. tramita never repeats it on its own. Start every worker with its own folder before you decide: one may know how the call ended.',
  'charged-lost':
    'A call counts as paid, but its answer is lost or cannot be used. tramita never repeats it on its own.',
  stalled: 'The flow has already paid and cannot continue on its own. The step below says why.',
  budget: 'A spending cap or the balance stops the next call.',
  credentials:
    'The service refuses the API key, or does not allow it this operation. The flow tries again on its own, at growing intervals.',
  'unexpected-charge':
    'A read that should be free was charged. The charge is booked; for 30 days no flow of the account makes this read on its own, and this flow continues without it. Ask the service whether the read costs money now.',
};

/** `parked`: where the flow waits for a person. */
export function describeProgress(
  progress: Progress,
  subject: DetailsSubject,
  parked?: Pick<ParkingPlace, 'note' | 'intentId' | 'givesUp'>,
): string {
  const waits = progress.waitingFor === null ? '' : `: ${progress.waitingFor}`;
  const next = progress.nextCheckAt === null ? '' : ` Next automatic check: ${progress.nextCheckAt}.`;
  const lines = [`**${subject.label}** — ${progress.state}${waits}`, '', `Since ${progress.since}.${next}`];
  if (subject.callQueue !== undefined)
    lines.push('', `Nothing is sent before a worker of the task queue \`${subject.callQueue}\` has taken the call.`);
  if (progress.attention !== null) {
    const title = progress.attention === 'unexpected-charge' ? 'For information' : 'Needs a person';
    lines.push('', `**${title}: \`${progress.attention}\`.** ${WHAT_ATTENTION_MEANS[progress.attention] ?? ''}`);
  }
  if (parked !== undefined) lines.push('', ...describeParked(parked, subject.workflowId, progress.since));
  if (progress.steps.length > 0)
    lines.push('', '**Charged calls**', '', ...progress.steps.map(describeStepOf(subject)).slice(-20));
  const counts = Object.entries(progress.counts).map(([name, value]) => `${name} ${value}`);
  if (counts.length > 0) lines.push('', `Counts: ${counts.join(', ')}.`);
  const { known, listed, unknown } = progress.spent;
  const byPriceList = listed === undefined ? '' : ` (${listed} of it by the price list, not reported by the service)`;
  lines.push(
    '',
    `Spent: ${known}${byPriceList}${unknown === 0 ? '' : ` and ${unknown} charge(s) that the service has not reported`}.`,
  );
  return lines.join('\n');
}

/** For a flow that failed or was cancelled: it asks nobody any more. */
export function describeEnd(failure: TemporalFailure): string {
  if (failure instanceof CancelledFailure) return '**Cancelled.**';
  const { type } = (failure instanceof ActivityFailure ? failure.cause : failure) as { readonly type?: unknown };
  const name = typeof type === 'string' ? type : failure.name;
  return `**Ended as \`${name}\`.** Its failure says why, and what it cost.`;
}

function describeParked(
  { note, intentId, givesUp }: Pick<ParkingPlace, 'note' | 'intentId' | 'givesUp'>,
  workflowId: string,
  since: string,
): string[] {
  const { step, story, choices } = note;
  const decides = choices.some((choice) => choice.startsWith('`abandon`'));
  const endsAt = new Date(Date.parse(since) + GIVE_UP_AFTER_MS).toISOString();
  const [flag, member] = intentId === undefined ? ['', ''] : [` --intent ${intentId}`, `,"intentId":"${intentId}"`];
  const command = decides
    ? `tramita settle ${inShell(workflowId)} --step ${step}${flag} --decision … --by …`
    : `tramita resume ${inShell(workflowId)} --by …`;
  const update = decides
    ? `settleCharge\` with \`{"step":"${step}"${member},"decision":"…","by":"…"}`
    : 'resume` with `{"by":"…"}';
  return [
    `Step \`${step}\`: ${story}`,
    '',
    ...choices.map((choice) => `- ${choice}`),
    '',
    `Answer with \`${command}\`, or send the update \`${update}\` here.`,
    '',
    `Waiting costs nothing. Without an answer the flow ends as \`${givesUp.type}\` at ${endsAt}.`,
  ];
}

function describeStepOf({ madeBy = [] }: Pick<DetailsSubject, 'madeBy'>) {
  return ({ step, operation, outcome, amount, requestId }: ProgressStep, place: number): string => {
    const request = requestId === null ? '' : `, request ${requestId}`;
    const other = madeBy[place] === undefined ? '' : `, a call of \`${madeBy[place]}\``;
    return `- \`${step}\` (${operation}): **${outcome}**, ${costOf(outcome, amount)}${request}${other}`;
  };
}

function costOf(outcome: ProgressStep['outcome'], amount: string | null): string {
  if (amount !== null) return `charged ${amount}`;
  if (outcome === 'OPEN') return 'in flight';
  if (outcome === 'HELD') return 'not sent';
  return outcome === 'NOT_SENT' || outcome === 'REJECTED' ? 'no charge expected' : 'charge unknown';
}
