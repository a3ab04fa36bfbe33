/** The Markdown that an operator reads in the Temporal UI ("current details"). Pure; no secrets, no personal data. */
import type { Progress } from '../protocol/index.js';

export interface ParkedNote {
  readonly step: string;
  /** What happened: what was sent when, what was looked at. */
  readonly story: string;
  /** What each decision does, one line each. */
  readonly choices: readonly string[];
}

const WHAT_ATTENTION_MEANS: Readonly<Record<string, string>> = {
  'unknown-charge': 'A charged call may or may not have been paid. It is never repeated by itself.',
  'charged-lost': 'A call was paid, but its answer is unusable.',
  stalled: 'The service has not finished in time, or cannot be reached.',
  budget: 'A spending cap or the balance stops the next call.',
  credentials: 'The service refuses the API key.',
  'unexpected-charge': 'A call that should be free was charged.',
};

export function describeProgress(progress: Progress, subject: string, parked?: ParkedNote): string {
  const lines = [`**${subject}** — ${progress.state}${progress.waitingFor === null ? '' : `: ${progress.waitingFor}`}`];
  lines.push(
    '',
    `Since ${progress.since}.${progress.nextCheckAt === null ? '' : ` Next look by itself: ${progress.nextCheckAt}.`}`,
  );
  if (progress.attention !== null) {
    lines.push('', `**Needs a person: \`${progress.attention}\`.** ${WHAT_ATTENTION_MEANS[progress.attention] ?? ''}`);
  }
  if (parked !== undefined) {
    lines.push('', `Step \`${parked.step}\`: ${parked.story}`, '', ...parked.choices.map((choice) => `- ${choice}`));
  }
  if (progress.steps.length > 0) {
    lines.push('', '| step | operation | outcome | charged | request |', '|---|---|---|---|---|');
    for (const step of progress.steps.slice(-20)) {
      lines.push(
        `| ${step.step} | ${step.operation} | ${step.outcome} | ${step.amount ?? 'not told'} | ${step.requestId ?? ''} |`,
      );
    }
  }
  const { known, unknown } = progress.spent;
  lines.push('', `Spent: ${known}${unknown === 0 ? '' : ` and ${unknown} charge(s) that the service has not told`}.`);
  return lines.join('\n');
}
