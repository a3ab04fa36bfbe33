/** Retries an action that needs a server which may still be starting: twenty attempts, then it throws the last error. */
import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 20;

export async function patiently<T>(run: () => Promise<T>, againAfterMs = 1_000): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === TRIES) throw error;
      await sleep(againAfterMs);
    }
  }
}
