/** Counts the `wake` signals of a flow, all together and by the event that they name. A wake can shorten a wait, nothing else. */
import { createWakeReader } from './wake-reader.js';

export interface WakeCount {
  /** Number of wakes so far: compare with an earlier reading. */
  readonly all: () => number;
  /** Number of wakes that named this event. */
  readonly of: (event: string) => number;
  /** Makes every wait look again, as a signal does. */
  readonly add: () => void;
  /** Takes the signal. */
  readonly take: (payload: unknown) => void;
}

/** `onDropped`: called for a wake that cannot be decoded. */
export function createWakeCount(onDropped: () => void): WakeCount {
  const read = createWakeReader();
  const byEvent = new Map<string, number>();
  let all = 0;
  const of = (event: string): number => byEvent.get(event) ?? 0;
  return {
    all: () => all,
    of,
    add: () => {
      all += 1;
    },
    take: (payload) => {
      const wake = read(payload);
      if (wake === undefined) {
        onDropped();
        return;
      }
      all += 1;
      if (wake.event !== undefined) byEvent.set(wake.event, of(wake.event) + 1);
    },
  };
}
