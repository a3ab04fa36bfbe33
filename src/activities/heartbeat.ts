/**
 * Heartbeats of a long attempt, by the clock and not by progress: the server notices a dead worker within the heartbeat
 * timeout, however long one answer takes. Every beat repeats the latest details, so that the next attempt finds them.
 */
import { Context } from '@temporalio/activity';

/** The SDK throttles them to one per 80 % of the heartbeat timeout. */
const EVERY_MS = 5_000;

/** `initial`: the details of an earlier attempt. */
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
