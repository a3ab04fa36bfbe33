/** One run of a flow from start to end. The soak's person decides what parks. */
import { present } from '../../src/contract/index.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from '../world.js';
import { KINDS } from './kinds.js';
import type { Stage } from './stage.js';
import type { FlowCase, FlowRun, Side } from './types.js';

const LOOK_EVERY_MS = 1_000;
/** A killed call is decided after a minute; several kills may hit a flow of several calls. */
const GIVE_UP_AFTER_MS = 8 * 60_000;

/** `abouts`: names of the case's calls in the book; empty when they are not known. */
export async function play(
  stage: Stage,
  { flow, side, abouts }: { readonly flow: FlowCase; readonly side: Side; readonly abouts: ReadonlySet<string> },
): Promise<FlowRun> {
  const { world } = stage;
  const { type, n } = flow;
  const place = stage.place(type, side);
  const { input, others, foreignRequest } = await KINDS[type](n, place);
  const run = await world.flows.start({
    type,
    input,
    others,
    service: place.service,
    workflowId: workflowIdOf(world, flow, side),
    abouts: [],
    label: side,
    // A charge from before the row was opened belongs to an earlier call of the same flow.
    owns: ({ about, subject, at }, { workflowId }, row) =>
      abouts.has(about) &&
      [undefined, subject.cnj].includes(/\d{20}$/.exec(workflowId)?.[0]) &&
      Date.parse(at) >= (row?.openedAtMs ?? 0),
  });
  const { workflowId, startedAtMs, parked } = run;
  const untilMs = startedAtMs + GIVE_UP_AFTER_MS;
  await world.flows.ended([run], GIVE_UP_AFTER_MS);
  while (Date.now() < untilMs && (await someRun(world, others))) await sleep(LOOK_EVERY_MS);
  return {
    case: flow,
    workflowIds: [workflowId, ...others],
    startedAtMs,
    parked,
    endedAtMs: run.end === undefined ? Date.now() : await closeTimeOf(world, workflowId),
    ending: run.end ?? { kind: 'not ended' },
    ...present({ foreignRequest }),
  };
}

export function workflowIdOf({ taskQueue }: World, { type, n }: FlowCase, side: Side): string {
  return `flows/${taskQueue}/${type}/${n}/${side}`;
}

async function closeTimeOf({ client }: World, workflowId: string): Promise<number> {
  const { closeTime } = await client.workflow.getHandle(workflowId).describe();
  return closeTime?.getTime() ?? Date.now();
}

/** Whether one of them still runs. A workflow that was never started does not. */
async function someRun({ client }: World, workflowIds: readonly string[]): Promise<boolean> {
  for (const workflowId of workflowIds) {
    try {
      const { status } = await client.workflow.getHandle(workflowId).describe();
      if (status.name === 'RUNNING') return true;
    } catch {
      // Never started.
    }
  }
  return false;
}
