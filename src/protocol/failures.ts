/**
 * The catalogue of failures. Every run that ends badly ends with a non-retryable `ApplicationFailure` of one of
 * these types, with `details[0]` of type {@link FailureDetails} and a message that says what happened and what to do.
 */
import { ApplicationFailure } from '@temporalio/common';
import type { FlowCosts } from './results.js';

/** Every `type` that the `ApplicationFailure` of a flow can have. */
export const FAILURE_TYPES = [
  'InvalidInput',
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'Rejected',
  'InsufficientBalance',
  'Throttled',
  'Unreachable',
  'BudgetExceeded',
  'RefreshFailed',
  'ChargedLost',
  'UnknownCharge',
  'PendingTooLong',
  'DownloadFailed',
] as const;
/** How a flow failed: `type` of its `ApplicationFailure`. */
export type FailureType = (typeof FAILURE_TYPES)[number];

/**
 * Type of the `ApplicationFailure` by which a flow refuses `settleCharge` or `resume` because it is not parked on that: it runs,
 * is parked at another step, or waits for something else. No run ends with it; other refusals are `InvalidInput`.
 */
export const NOT_PARKED = 'NotParked';

/** What a failed flow reports in `details[0]` of its `ApplicationFailure`: where it ended, and what it was charged. */
export interface FailureDetails extends FlowCosts {
  /** Account of the flow. */
  readonly account: string;
  /** Operation of the service that ended the flow, where one did. */
  readonly operation?: string;
  /** HTTP status of the answer that ended the flow. */
  readonly status?: number;
  /** Error code of that answer, as the service wrote it. */
  readonly errorCode?: string;
  /** Id of the pending work that the flow waited for. */
  readonly requestId?: string;
  /** As in the statement of the account. */
  readonly searchLogId?: string;
}

/**
 * The only function that makes failures that end a flow. `message` names the cure, and never holds a secret or a whole CPF.
 * Half a surrogate pair, from a caller or from a cut, is replaced: the server would never accept a failure with it.
 */
export function flowFailure(type: FailureType, message: string, details: FailureDetails): ApplicationFailure {
  const text = `tramita: ${message}`.replace(/\p{Cs}/gu, '\ufffd');
  return ApplicationFailure.create({ type, message: text, nonRetryable: true, details: [details] });
}
