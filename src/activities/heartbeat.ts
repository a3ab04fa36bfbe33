/**
 * Signs of life of a long attempt, by the clock and not by progress: the server notices a dead worker within its heartbeat
 * timeout, however long one answer takes. What was noted last is sent again, so the next attempt finds it.
 */
import { Context } from '@temporalio/activity';

/** The SDK sends fewer: one per 80 % of the heartbeat timeout. */
const EVERY_MS = 5_000;

/** `initial`: what an earlier attempt has noted. */
export async function withHeartbeat<T, D = undefined>(
  run: (note: (details: D) => void) => Promise<T>,
  initial?: D,
): Promise<T> {
  const context = Context.current();
  let details = initial;
  const beat = (): void => context.heartbeat(details);
  beat();
  const beating = setInterval(beat, EVERY_MS);
  try {
    return await run((noted) => {
      details = noted;
      beat();
    });
  } finally {
    clearInterval(beating);
  }
}
