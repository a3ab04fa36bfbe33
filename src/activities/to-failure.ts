/**
 * The only place in activities that creates an `ApplicationFailure`. Charged activities return values; only free ones throw.
 * Errors of libraries go no further than here: their text may contain addresses or links.
 */
import { ApplicationFailure, CancelledFailure, type TemporalFailure } from '@temporalio/common';
import { withJitter } from '../contract/index.js';
import { nameOfError } from '../contract/values/index.js';

/**
 * "Not yet": the server retries after `delayMs` or up to 20 % later, because many flows may wait for the same thing. Adds no
 * log noise and no history events.
 */
export function notYet(reason: string, delayMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'NotYet',
    message: `tramita: ${reason}`,
    nonRetryable: false,
    nextRetryDelay: withJitter(delayMs, Math.random),
    category: 'BENIGN',
  });
}

/** A request of a person or a flow that can never succeed as it is; not retried. */
export function impossible(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`tramita: ${message}`, 'InvalidInput');
}

/** An unexpected error of a free activity, retried by the server's policy. Only the error's name and code are shown. */
export function retryLater(what: string, error: unknown): TemporalFailure {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  return ApplicationFailure.retryable(
    `tramita: ${what} failed (${nameOfError(error)}) and is tried again`,
    'Unavailable',
  );
}
