/** `awaitRequest`: waits for the end of work that is already paid. */
import { parseRequestId } from '../../contract/values/index.js';
import { defineFlow, workflowIdOf } from '../flow.js';
import { member, withFlag } from '../inputs/kinds.js';
import type { CommonInput } from '../inputs/common.js';
import type { CallOperationResult } from './call-operation.js';

/** Input of `awaitRequest`: pending work of the service that somebody has asked for already. */
export interface AwaitRequestInput extends CommonInput {
  /** The UUID of pending work, as a 202 of the service gave it. */
  readonly requestId: string;
}

const requestId = withFlag(member('must be a UUID', { type: 'string', format: 'uuid' }, parseRequestId), {
  takes: '<uuid>',
  help: 'pending work of the service, for awaitRequest',
});

export const awaitRequest = defineFlow<AwaitRequestInput, CallOperationResult>()({
  idPrefix: 'request',
  example: '{"requestId":"…"}',
  members: { requestId },
  place: (settings) => ({
    id: [settings.requestId],
    summary: `Waits for request ${settings.requestId}; free`,
  }),
});

/** Default workflow id of `awaitRequest`. */
export function awaitRequestId(account: string, requestId: string): string {
  return workflowIdOf(awaitRequest, account, requestId);
}
