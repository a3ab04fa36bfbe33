/**
 * The client's own retries, with a workaround for one defect: a retry that was scheduled before the connection was closed still
 * fires afterwards and throws from a timer, which ends the process. Nobody waits for its result after the close, so such a retry
 * is dropped.
 */
import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor, type ConnectionOptions } from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Interceptor>;
type CallInterface = ReturnType<Parameters<Interceptor>[1]>;

const nothing = (): void => undefined;
/** Accepts everything and never answers. */
const MUTE: CallInterface = {
  start: nothing,
  sendMessage: nothing,
  sendMessageWithContext: nothing,
  startRead: nothing,
  halfClose: nothing,
  cancelWithStatus: nothing,
  getPeer: () => '',
  getAuthContext: () => null,
};

/** For `interceptors` of a connection. */
export function createClientInterceptors(): Interceptor[] {
  return [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), dropRetriesAfterClose()];
}

/** After the retries in the chain, so it sees every attempt. A retry has the same options object as the first attempt. */
function dropRetriesAfterClose(): Interceptor {
  const seen = new WeakSet();
  return (options, nextCall) => {
    const isRetry = seen.has(options);
    seen.add(options);
    try {
      return asCall(nextCall(options));
    } catch (error) {
      if (isRetry && /shut down|closed/i.test((error as Error).message)) return asCall(MUTE);
      throw error;
    }
  };
}

/** An interceptor is typed to return the class, although its callers use only the interface. */
function asCall(call: CallInterface): Call {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- see above
  return call as Call;
}
