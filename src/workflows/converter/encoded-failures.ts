/** Failure converter where payloads are encrypted: message and stack of a failure become a payload as well. */
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
