/**
 * Waits for the end of a flow and shows its progress meanwhile. A parked flow is not waited for, because a person may take
 * weeks to decide: the command returns at once, and its exit code says that a decision is needed.
 */
import type { Client } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { needOf, type Progress } from '../protocol/index.js';
import { readDetails, readProgress, type FlowHandle } from '../starters/index.js';
import { attentionOf } from '../temporal-client/index.js';
import { readFlowFailure, spentText, type FlowFailure } from './output/flow-failure.js';
import { printable } from './output/output.js';
import { ifAnswered } from './with/with-client.js';

const LOOK_EVERY_MS = 500;

export type FlowEnd<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly failure: FlowFailure }
  | ({ readonly kind: 'parked' } & Need);

/** Why a flow needs a person. `details` is set if its worker answers and the answer can be decoded here. */
interface Need {
  readonly why: string;
  readonly details?: string | undefined;
}

export async function waitForFlow<Result>({
  client,
  handle,
  onProgress,
  onSilence,
  everyMs = LOOK_EVERY_MS,
}: {
  readonly client: Client;
  readonly handle: FlowHandle<Result>;
  readonly onProgress: (progress: Progress) => void;
  /** Called before the first query, and after each one whose answer did not come or cannot be decoded here. */
  readonly onSilence?: (cause: 'no answer' | 'unreadable') => Promise<void>;
  readonly everyMs?: number;
}): Promise<FlowEnd<Result>> {
  let end: FlowEnd<Result> | undefined;
  const over = new AbortController();
  const ended = handle
    .result()
    .then(
      (result): FlowEnd<Result> => ({ kind: 'done', result }),
      (error: unknown): FlowEnd<Result> => {
        const failure = readFlowFailure(error);
        if (failure === undefined) throw error;
        return { kind: 'failed', failure };
      },
    )
    .then((reached) => (end = reached))
    .finally(() => over.abort());
  const isOver = (): boolean => over.signal.aborted;
  // returned below; until then its rejection must not count as unhandled
  ended.catch(() => undefined);
  await onSilence?.('no answer');
  while (!isOver()) {
    const answer = await askProgress(client, handle.workflowId);
    const progress = answer?.progress;
    if (progress !== undefined) onProgress(progress);
    else if (!isOver()) await onSilence?.(answer === undefined ? 'no answer' : 'unreadable');
    const need = await readNeed(client, handle.workflowId, progress);
    if (end === undefined && need !== undefined) return { kind: 'parked', ...need };
    await sleep(everyMs, undefined, { signal: over.signal }).catch(() => undefined);
  }
  return ended;
}

async function readNeed(client: Client, workflowId: string, progress: Progress | undefined): Promise<Need | undefined> {
  if (progress !== undefined) {
    return isParked(progress)
      ? { why: progressLine(progress), details: await detailsOf(client, workflowId) }
      : undefined;
  }
  const flow = await ifAnswered(client, () => client.workflow.getHandle(workflowId).describe());
  const need = flow?.status.name === 'RUNNING' ? needOf(attentionOf(flow)) : null;
  return need === null ? undefined : { why: printable(need) };
}

/** Undefined if no worker answers; without progress if the answer cannot be decoded here. */
export function askProgress(
  client: Client,
  workflowId: string,
  withinMs?: number,
): Promise<{ readonly progress: Progress | undefined } | undefined> {
  return ifAnswered(client, async () => ({ progress: await readProgress(client, workflowId) }), withinMs);
}

/** Whether the flow needs a person now: not in the first minute of an unknown charge, when only free evidence is looked for. */
export function isParked({ state, attention }: Pick<Progress, 'state' | 'attention'>): boolean {
  return state === 'parked' && needOf(attention) !== null;
}

/** One line about where a flow is. Pure. */
export function progressLine({ state, waitingFor, attention, nextCheckAt, spent, counts }: Progress): string {
  return [
    ...(counts['remaining'] === undefined ? [] : [progressBar(counts)]),
    attention === null ? state : `${state} (${attention})`,
    ...(waitingFor === null ? [] : [`waiting for ${waitingFor}`]),
    ...(nextCheckAt === null ? [] : [`next check ${nextCheckAt}`]),
    `spent ${spentText(spent)}`,
  ].join(' · ');
}

const BAR_WIDTH = 24;

/** For a portfolio, which counts its ended cases by how they ended, and the `remaining` ones. Pure. */
export function progressBar({ remaining = 0, ...ended }: Readonly<Record<string, number>>): string {
  const over = Object.values(ended).reduce((sum, count) => sum + count, 0);
  const total = over + remaining;
  const filled = total === 0 ? 0 : Math.floor((over / total) * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${over}/${total}`;
}

/** Current details as the Temporal UI shows them; undefined if no worker answers in time. */
export function detailsOf(client: Client, workflowId: string): Promise<string | undefined> {
  return ifAnswered(client, () => readDetails(client, workflowId));
}

/** Details for a terminal, without Markdown emphasis and control characters. Pure. */
export function detailsText(details: string): string {
  return details
    .split('\n')
    .map((line) => printable(line.replaceAll('**', ''), Infinity))
    .join('\n');
}

/** What a person reads about a parked flow: the details say what happened and which decisions it accepts. Pure. */
export function parkedText(workflowId: string, { why, details }: Need): string {
  const head = `tramita: ${printable(workflowId, Infinity)} needs a person: ${why}`;
  return details === undefined ? head : `${head}\n\n${detailsText(details)}`;
}
