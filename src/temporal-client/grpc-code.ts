/** Whether an error, or the cause that the SDK has wrapped, has one of these gRPC status codes. Pure. */
export function hasGrpcCode(error: unknown, ...codes: readonly number[]): boolean {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  return codes.some((each) => each === code || each === cause?.code);
}

const NOT_FOUND = 5;

/** The server does not know what was asked for, or its namespace. */
export function isNotFound(error: unknown): boolean {
  return hasGrpcCode(error, NOT_FOUND);
}

const GONE_ERRORS: readonly unknown[] = ['WorkflowNotFoundError', 'ScheduleNotFoundError'];

/** For `catch`: undefined if the server does not know the run or schedule (it may have been deleted meanwhile), else rethrows. */
export function unlessGone(error: unknown): undefined {
  if (!GONE_ERRORS.includes((error as { readonly name?: unknown }).name) && !isNotFound(error)) throw error;
}
