/**
 * The client's own retries, with one defect of theirs mended: a retry that was scheduled before its connection was closed
 * fires afterwards and throws out of a timer, which ends the process. Whoever closed the connection waits for nothing of it,
 * so such a retry is let go.
 */
import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor, type ConnectionOptions } from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Interceptor>;

const nothing = (): void => undefined;
/** Takes everything and answers nothing. */
const MUTE: ReturnType<Parameters<Interceptor>[1]> = {
  ...{ start: nothing, sendMessage: nothing, sendMessageWithContext: nothing, startRead: nothing, halfClose: nothing },
  ...{ cancelWithStatus: nothing, getPeer: () => '', getAuthContext: () => null },
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
      // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- what the chain makes, handed on
      return nextCall(options) as Call;
    } catch (error) {
      if (isRetry && /shut down|closed/i.test((error as Error).message)) return MUTE as Call;
      throw error;
    }
  };
}
