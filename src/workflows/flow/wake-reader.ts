/**
 * Reads `wake` signals, and records in the history which of them could not be decoded. The bridge may get a new payload key
 * before the workers do. A wake that was dropped without the key must stay dropped when the flow is replayed with it: otherwise
 * the flow would issue commands that its history does not have, and would be stuck for good.
 */
import { patched, workflowInfo } from '@temporalio/workflow';
import { readWake, type WakeInput } from '../../protocol/index.js';

/** Most dropped wakes that one run records: a stranger's wakes must not fill its history. */
const MOST_RECORDED = 20;

/** Needs every wake of the run, in order. Returns undefined for a wake that is dropped now, or was when it came. */
export function createWakeReader(): (payload: unknown) => WakeInput | undefined {
  let received = 0;
  let recorded = 0;
  return (payload) => {
    received += 1;
    const wake = readWake(payload);
    // After too many dropped wakes all further ones are dropped, too. They could only have shortened waits.
    if (recorded >= MOST_RECORDED) return undefined;
    if (wake !== undefined && !workflowInfo().unsafe.isReplaying) return wake;
    // In a replay this only checks whether the history has the marker.
    if (!patched(`wake-${received}-was-dropped`)) return wake;
    recorded += 1;
    return undefined;
  };
}
