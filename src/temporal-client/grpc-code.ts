/** gRPC's status of an error: on the error itself, or on what the SDK wraps. Pure. */
export function hasGrpcCode(error: unknown, ...codes: readonly number[]): boolean {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  return codes.some((each) => each === code || each === cause?.code);
}

const NOT_FOUND = 5;
const GONE: readonly unknown[] = ['WorkflowNotFoundError', 'ScheduleNotFoundError'];

/** To catch with: undefined where the server does not know the run or the schedule (it may be deleted after it was listed). */
export function unlessGone(error: unknown): undefined {
  if (!GONE.includes((error as { readonly name?: unknown }).name) && !hasGrpcCode(error, NOT_FOUND)) throw error;
}
