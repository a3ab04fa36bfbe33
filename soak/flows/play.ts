/** One run of a flow from its start to its end. What parks is decided truly, by the charge book of its service. */
import type { WorkflowHandle } from '@temporalio/client';
import { attend, progressWithin } from '../attend.js';
import { decideBy } from '../person.js';
import { lookUp, type Books } from './books.js';
import { KINDS } from './kinds.js';
import type { Stage } from './stage.js';
import type { FlowCase, FlowRun, Parking, Prepared, Side } from './types.js';

const LOOK_EVERY_MS = 1_000;
const LOOK_WITHIN_MS = 3_000;
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
  const parked: Parking[] = [];
  const ending = await attend(handle, {
    everyMs: LOOK_EVERY_MS,
    untilMs: startedAtMs + GIVE_UP_AFTER_MS,
    isOver: async () => !(await someRun(stage, prepared.others)),
    look: async () => {
      for (const each of workflowIds) {
        const progress = await progressWithin(client, each, LOOK_WITHIN_MS);
        if (progress?.state !== 'parked' || progress.attention === null) continue;
        const parking = await lookUp(books, { workflowId: each, progress });
        // Found on an earlier look: the decision is on its way.
        const known = parked.some(
          ({ row, attention }) => row?.intentId === parking.row?.intentId && attention === parking.attention,
        );
        if (!known) parked.push(parking);
        await decideBy(stage.world, { workflowId: each, progress }, parking.charge).catch(() => undefined);
      }
    },
  });
  const { foreignRequest } = prepared;
  return {
    ...{ case: flow, side, workflowIds, startedAtMs, parked },
    endedAtMs: ending === undefined ? Date.now() : await closeTimeOf(handle),
    ending: ending ?? { kind: 'not ended' },
    ...(foreignRequest === undefined ? {} : { foreignRequest }),
  };
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
