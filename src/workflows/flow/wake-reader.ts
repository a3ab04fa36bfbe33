/**
 * Reads wakes, and remembers in the history which ones could not be read. A key of payloads may come to the bridge before it
 * comes to the workers: what was dropped without it stays dropped when the flow is replayed with it. As news it would ask for
 * commands that the history does not have, and the flow would stand still for good.
 */
import { patched, workflowInfo } from '@temporalio/workflow';
import { readWake, type WakeInput } from '../../protocol/index.js';

/** Of one run: a stranger's wakes must not fill its history. */
const MOST_REMEMBERED = 20;

/** Undefined: dropped, now or when it came. To be given every wake of the run, in their order. */
export function createWakeReader(): (payload: unknown) => WakeInput | undefined {
  let received = 0;
  let remembered = 0;
  return (payload) => {
    received += 1;
    const wake = readWake(payload);
    // Too many were dropped: the rest is, too. They could only have shortened waits.
    if (remembered >= MOST_REMEMBERED) return undefined;
    if (wake !== undefined && !workflowInfo().unsafe.isReplaying) return wake;
    // In a replay this only asks whether the history has the mark.
    if (!patched(`wake-${received}-was-dropped`)) return wake;
    remembered += 1;
    return undefined;
  };
}
