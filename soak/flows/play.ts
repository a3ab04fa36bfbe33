/** One run of a flow from its start to its end. What parks is decided truly, by the charge book of its service. */
import type { WorkflowHandle } from '@temporalio/client';
import type { JsonObject } from '../../src/contract/index.js';
import type { Progress } from '../../src/protocol/index.js';
import { readProgress } from '../../src/starters/index.js';
import { decideBy } from '../person.js';
import { lookUp, type Books } from './books.js';
import { KINDS } from './kinds.js';
import type { Stage } from './stage.js';
import type { Ending, FlowCase, FlowRun, Parking, Prepared, Side } from './types.js';

const LOOK_EVERY_MS = 1_000;
/** A killed call is over after a minute; a flow of several calls may be hit by several kills. */
const GIVE_UP_AFTER_MS = 8 * 60_000;

export async function prepare(stage: Stage, { type, n }: FlowCase, side: Side): Promise<Prepared> {
  return KINDS[type](n, stage.place(type, side));
}

export async function play(
  stage: Stage,
  { flow, side, prepared, books }: { flow: FlowCase; side: Side; prepared: Prepared; books: Books },
): Promise<FlowRun> {
  const { client, config } = stage.world;
  const { account } = stage.place(flow.type, side);
  const workflowId = `flows/${config.taskQueue}/${flow.type}/${flow.n}/${side}`;
  const startedAtMs = Date.now();
  const handle = await client.workflow.start(flow.type, {
    workflowId,
    taskQueue: config.taskQueue,
    args: [{ ...prepared.input, account }],
  });
  const workflowIds = [workflowId, ...prepared.others];
  let ending: Ending | undefined;
  const over = endOf(handle).then((given) => (ending = given));
  const parked: Parking[] = [];
  const until = startedAtMs + GIVE_UP_AFTER_MS;
  for (;;) {
    await Promise.race([over, new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))]);
    if (ending !== undefined && !(await someRun(stage, prepared.others))) break;
    if (Date.now() > until) break;
    for (const each of workflowIds) {
      const progress = await look(stage, each);
      if (progress?.state !== 'parked' || progress.attention === null) continue;
      const parking = await lookUp(books, { workflowId: each, progress });
      // Found on an earlier look: the decision is on its way.
      const known = parked.some(
        ({ row, attention }) => row?.intentId === parking.row?.intentId && attention === parking.attention,
      );
      if (!known) parked.push(parking);
      await decideBy(stage.world, { workflowId: each, progress }, parking.charge).catch(() => undefined);
    }
  }
  const { foreignRequest } = prepared;
  return {
    ...{ case: flow, side, workflowIds, startedAtMs, parked },
    endedAtMs: ending === undefined ? Date.now() : await closeTimeOf(handle),
    ending: ending ?? { kind: 'not ended' },
    ...(foreignRequest === undefined ? {} : { foreignRequest }),
  };
}

async function endOf(handle: WorkflowHandle): Promise<Ending> {
  for (;;) {
    try {
      return { kind: 'done', result: (await handle.result()) as JsonObject };
    } catch (error) {
      const { name, cause } = error as { name: string; cause?: { type?: string; name?: string; details?: unknown[] } };
      if (name === 'WorkflowFailedError') {
        const [details = {}] = cause?.details ?? [];
        return { kind: 'failed', type: cause?.type ?? cause?.name ?? 'Failed', details: details as JsonObject };
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }
}

async function closeTimeOf(handle: WorkflowHandle): Promise<number> {
  const { closeTime } = await handle.describe();
  return closeTime?.getTime() ?? Date.now();
}

/** Whether one of them is still on its way. One that was never started is not. */
async function someRun({ world }: Stage, workflowIds: readonly string[]): Promise<boolean> {
  for (const workflowId of workflowIds) {
    try {
      const { status } = await world.client.workflow.getHandle(workflowId).describe();
      if (status.name === 'RUNNING') return true;
    } catch {
      // Never started.
    }
  }
  return false;
}

async function look({ world }: Stage, workflowId: string): Promise<Progress | undefined> {
  try {
    return await world.client.withDeadline(Date.now() + 3_000, () => readProgress(world.client, workflowId));
  } catch {
    return undefined;
  }
}
