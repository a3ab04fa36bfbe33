/** gRPC's status of an error: on the error itself, or on what the SDK wraps. Pure. */
export function hasGrpcCode(error: unknown, ...codes: readonly number[]): boolean {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
  return codes.some((each) => each === code || each === cause?.code);
}
