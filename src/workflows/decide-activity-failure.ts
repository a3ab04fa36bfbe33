/**
 * What a charged activity that did not return an outcome means (temporal.md 6.2). Pure. Whatever is not recognised is
 * unknown: it may have been sent and paid.
 */
import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';

export type LostActivity =
  /** No worker took it: nothing ran, schedule it again, count nothing. */
  | { readonly kind: 'not started' }
  /** It never reached our code: nothing was sent. */
  | { readonly kind: 'not sent'; readonly reason: string }
  /** Sent and paid, and the result could not be handed over. The ledger has it. */
  | { readonly kind: 'unknown'; readonly reason: string };

export function decideActivityFailure(error: unknown): LostActivity {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (cause instanceof TimeoutFailure) {
    if (cause.timeoutType === 'SCHEDULE_TO_START') return { kind: 'not started' };
    return { kind: 'unknown', reason: `the worker did not answer in time (${cause.timeoutType})` };
  }
  if (cause instanceof ApplicationFailure) {
    if (cause.type === 'NotFoundError' && cause.message.includes('is not registered')) {
      return { kind: 'not sent', reason: 'the worker does not know this activity: deploy the current version' };
    }
    if (cause.message.startsWith('Failed to parse activity args')) {
      return { kind: 'not sent', reason: 'the worker could not read the call' };
    }
    return { kind: 'unknown', reason: `the worker gave the call up (${cause.type ?? 'no type'})` };
  }
  return { kind: 'unknown', reason: 'the call ended without an outcome' };
}
