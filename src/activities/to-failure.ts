/**
 * The one maker of `ApplicationFailure` in activities. Charged activities return values; only free ones fail, and only to be
 * retried by the server. No library error object goes further than here: its text may carry addresses or links.
 */
import { ApplicationFailure, CancelledFailure, type TemporalFailure } from '@temporalio/common';
import { withJitter } from '../contract/index.js';
import { nameOfError } from '../contract/values/index.js';

/**
 * "Not yet": retried by the server after `delayMs` or up to 20 % later (many flows wait for the same thing), without log noise
 * and without history events.
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

/** The request of a person or a flow that can never succeed as it is. */
export function impossible(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`tramita: ${message}`, 'InvalidInput');
}

/** An unexpected error of a free activity, retried by the server's policy; `name` and `code` say what it was. */
export function retryLater(what: string, error: unknown): TemporalFailure {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  return ApplicationFailure.retryable(
    `tramita: ${what} failed (${nameOfError(error)}); it is tried again`,
    'Unavailable',
  );
}
