/**
 * Waits for a condition with a deadline; the only way this room waits for anything. A check that throws ends the
 * wait with its error, so that nobody waits out the deadline for something that died.
 */
import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitOptions {
  /** Completes the sentence "tramita: … did not happen within 5 s". */
  readonly what: string;
  readonly deadlineMs: number;
  /** Default 50. */
  readonly everyMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly check: () => boolean | Promise<boolean>;
}

export async function waitUntil({ what, deadlineMs, everyMs = 50, signal, check }: WaitOptions): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  for (;;) {
    signal?.throwIfAborted();
    if (await check()) return;
    if (performance.now() >= endMs) {
      throw new Error(`tramita: ${what} did not happen within ${String(Math.round(deadlineMs / 1000))} s`);
    }
    await sleep(everyMs, undefined, signal === undefined ? {} : { signal });
  }
}
