/** Starting `awaitRequest` idempotently: id from the request id. */
import {
  awaitRequestId,
  parseAwaitRequestInput,
  type AwaitRequestInput,
  type CallOperationResult,
} from '../protocol/index.js';
import { defineStarter, type Starter } from './define-starter.js';

/** Starts (or joins) the waiting for pending work of the service. Default id `request/<account>/<requestId>`. */
export const startAwaitRequest: Starter<AwaitRequestInput, CallOperationResult> = defineStarter({
  type: 'awaitRequest',
  parse: parseAwaitRequestInput,
  place: ({ account, requestId }) => ({
    id: awaitRequestId(account, requestId),
    summary: `Waits for request ${requestId}; free`,
  }),
});
