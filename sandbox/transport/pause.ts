import { setTimeout as sleep } from 'node:timers/promises';

/** Waits in real time; false when the sandbox ended meanwhile. */
export function pause(ms: number, ended: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal: ended }).catch(() => false);
}
