/** Runs planned calls as flows, with a limit on how many run at once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { present } from '../../src/contract/index.js';
import { DEFAULT_ACCOUNT } from '../../src/protocol/index.js';
import { aboutCall } from '../about.js';
import type { Flow } from '../flow-book.js';
import type { World } from '../world.js';
import { NO_FAULT } from './figures.js';
import type { PlannedCall } from './plan.js';

/** A killed call is undecided for 65 s, and its repetition may be killed as well. Flows that take longer are left running. */
const GIVE_UP_AFTER_MS = 10 * 60_000;

interface DriveOptions {
  readonly concurrency: number;
  /** Call n (from 0) begins no earlier than n × this after the first one. Default 0. */
  readonly everyMs?: number;
  readonly onEnd?: (count: number) => void;
}

export async function driveCalls(
  world: World,
  calls: readonly PlannedCall[],
  { concurrency, everyMs = 0, onEnd }: DriveOptions,
): Promise<void> {
  let count = 0;
  const startedMs = Date.now();
  await inLanes([...calls.entries()], concurrency, async ([index, call]) => {
    await sleep(Math.max(0, startedMs + index * everyMs - Date.now()));
    await armCall(world, call);
    await world.flows.ended([await startCall(world, call)], GIVE_UP_AFTER_MS);
    onEnd?.((count += 1));
  });
}

/** One item after another in each lane. */
export async function inLanes<T>(items: readonly T[], lanes: number, run: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await run(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** The fault strikes the next request of its operation, which may be another call's when many run at once. */
export async function armCall({ service }: World, { fault }: PlannedCall): Promise<void> {
  if (fault !== undefined) await service.arm(fault, fault.fault);
}

/** Name of the call in the charge book. A refresh is identified by its case: its body has members beyond its arguments. */
export function aboutPlanned(
  { operation, params, body, flow }: PlannedCall,
  { gaps, accounts }: World['config'],
): string {
  if (flow === 'refreshCase') return String(params['cnj']);
  const { webhooks } = accounts[DEFAULT_ACCOUNT] ?? {};
  return aboutCall({ operation, params, ...present({ body, webhooks }) }, gaps);
}

function startCall({ flows, service, config }: World, call: PlannedCall): Promise<Flow> {
  const { flow: type, input, fault } = call;
  const abouts = [aboutPlanned(call, config)];
  return flows.start({ type, input, service, abouts, label: fault?.fault ?? NO_FAULT });
}
