/**
 * The client's own retries, with one defect of theirs mended: a retry that was scheduled before its connection was closed
 * fires afterwards and throws out of a timer, which ends the process. The code that closed the connection waits for nothing of it,
 * so such a retry is let go.
 */
import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor, type ConnectionOptions } from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Interceptor>;
type CallInterface = ReturnType<Parameters<Interceptor>[1]>;

const nothing = (): void => undefined;
/** Takes everything and answers nothing. */
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
  return [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), letGoAfterClose()];
}

/** Behind the retries: it sees every attempt, and a second one by the options that the first has had. */
function letGoAfterClose(): Interceptor {
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
