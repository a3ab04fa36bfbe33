/** Runs planned calls as flows, so many at a time, and decides what parks, as a person would. */
import type { Progress } from '../src/protocol/index.js';
import { readProgress } from '../src/starters/index.js';
import { decide } from './person.js';
import type { EndedCall, PlannedCall } from './types.js';
import type { World } from './world.js';

const LOOK_EVERY_MS = 700;
/** A call that was killed is unknown for 65 s; then it is decided, perhaps twice. */
const GIVE_UP_AFTER_MS = 10 * 60_000;

export interface DriveOptions {
  readonly concurrency: number;
  /** A flow that has not ended by then is left alone; 10 min. */
  readonly giveUpAfterMs?: number;
  readonly onEnd?: (ended: EndedCall, count: number) => void;
}

export async function driveCalls(
  world: World,
  calls: readonly PlannedCall[],
  { concurrency, onEnd, giveUpAfterMs = GIVE_UP_AFTER_MS }: DriveOptions,
): Promise<readonly EndedCall[]> {
  const waiting = [...calls];
  const ended: EndedCall[] = [];
  const lane = async (): Promise<void> => {
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
      const end = await driveCall(world, call, giveUpAfterMs);
      ended.push(end);
      onEnd?.(end, ended.length);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return ended;
}

async function driveCall(world: World, call: PlannedCall, giveUpAfterMs: number): Promise<EndedCall> {
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
  let end: Pick<EndedCall, 'end' | 'failure'> | undefined;
  const over = resultOf(handle).then((given) => (end = given));
  const parked: string[] = [];
  let decisions = 0;
  const until = Date.now() + giveUpAfterMs;
  for (;;) {
    await Promise.race([over, new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))]);
    if (end !== undefined) return { call, workflowId, ...end, parked, decisions };
    if (Date.now() > until) return { call, workflowId, end: 'not ended', parked, decisions };
    const progress = await look(world, workflowId);
    if (progress?.state !== 'parked' || progress.attention === null) continue;
    if (parked.at(-1) !== progress.attention) parked.push(progress.attention);
    try {
      await decide(world, call, { workflowId, progress });
      decisions += 1;
    } catch {
      // It moved meanwhile, or no worker was there: looked at again.
    }
  }
}

/** A server that is away ends the question, not the flow: it is asked again. */
async function resultOf(handle: { result(): Promise<unknown> }): Promise<Pick<EndedCall, 'end' | 'failure'>> {
  for (;;) {
    try {
      await handle.result();
      return { end: 'done' };
    } catch (error) {
      if ((error as Error).name === 'WorkflowFailedError') return { end: 'failed', failure: failureOf(error) };
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }
}

async function look(world: World, workflowId: string): Promise<Progress | undefined> {
  try {
    return await world.client.withDeadline(Date.now() + 2_000, () => readProgress(world.client, workflowId));
  } catch {
    return undefined;
  }
}

async function again<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

function failureOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly type?: string; readonly name?: string } };
  return cause?.type ?? cause?.name ?? 'Failed';
}
