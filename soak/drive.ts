/** Runs planned calls as flows, so many at a time, and decides what parks, as a person would. */
import { setTimeout as sleep } from 'node:timers/promises';
import { attend, progressWithin } from './attend.js';
import { decide } from './person.js';
import type { EndedCall, PlannedCall } from './types.js';
import type { World } from './world.js';

const LOOK_EVERY_MS = 700;
const LOOK_WITHIN_MS = 2_000;
/** A call that was killed is unknown for 65 s; then it is decided, perhaps twice. What has not ended by then is left alone. */
const GIVE_UP_AFTER_MS = 10 * 60_000;

export interface DriveOptions {
  readonly concurrency: number;
  readonly onEnd?: (ended: EndedCall, count: number) => void;
}

export async function driveCalls(
  world: World,
  calls: readonly PlannedCall[],
  { concurrency, onEnd }: DriveOptions,
): Promise<readonly EndedCall[]> {
  const waiting = [...calls];
  const ended: EndedCall[] = [];
  const lane = async (): Promise<void> => {
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
      const end = await driveCall(world, call);
      ended.push(end);
      onEnd?.(end, ended.length);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return ended;
}

async function driveCall(world: World, call: PlannedCall): Promise<EndedCall> {
  const workflowId = `soak-${call.n}`;
  const { fault } = call;
  if (fault !== undefined) {
    const operation = fault.fault === 'F0' ? '*' : fault.operation;
    const times = fault.fault === 'F0' ? {} : { times: 1 };
    await world.control('/faults', { operation, fault: fault.fault, ...times, ...fault.options });
  }
  const handle = await again(() =>
    world.client.workflow.start(call.flow, {
      workflowId,
      taskQueue: world.config.taskQueue,
      args: [call.input],
      workflowIdConflictPolicy: 'USE_EXISTING',
    }),
  );
  const parked: string[] = [];
  let decisions = 0;
  const end = await attend(handle, {
    everyMs: LOOK_EVERY_MS,
    untilMs: Date.now() + GIVE_UP_AFTER_MS,
    look: async () => {
      const progress = await progressWithin(world.client, workflowId, LOOK_WITHIN_MS);
      if (progress?.state !== 'parked' || progress.attention === null) return;
      if (parked.at(-1) !== progress.attention) parked.push(progress.attention);
      try {
        await decide(world, call, { workflowId, progress });
        decisions += 1;
      } catch {
        // It moved meanwhile, or no worker was there: looked at again.
      }
    },
  });
  const failure = end?.kind === 'failed' ? { failure: end.type } : {};
  return { call, workflowId, end: end?.kind ?? 'not ended', ...failure, parked, decisions };
}

async function again<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === 20) throw error;
      await sleep(500);
    }
  }
}
