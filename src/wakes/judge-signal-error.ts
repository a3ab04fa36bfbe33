/**
 * Classifies the error of a signal that Temporal did not accept: by name, gRPC code and text, never by class, because it may come
 * from another copy of the library. Only a missing *flow* has ended; a missing namespace says nothing about flows. Pure.
 */
export type SignalEnd = 'gone' | 'refused' | 'failed';

const GRPC_INVALID_ARGUMENT = 3;
const GRPC_NOT_FOUND = 5;

export function judgeSignalError(error: unknown): SignalEnd {
  const chain = [error, (shapeOf(error) as { readonly cause?: unknown }).cause].map(shapeOf);
  if (chain.some(isAboutNamespace)) return 'failed';
  const codes = chain.map(({ code }) => code);
  if (chain[0]?.name === 'WorkflowNotFoundError' || codes.includes(GRPC_NOT_FOUND)) return 'gone';
  return codes.includes(GRPC_INVALID_ARGUMENT) ? 'refused' : 'failed';
}

interface ErrorShape {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly details?: unknown;
}

function shapeOf(error: unknown): ErrorShape {
  return typeof error === 'object' && error !== null ? error : {};
}

/** "Namespace x is not found." */
function isAboutNamespace({ name, message, details }: ErrorShape): boolean {
  return [name, message, details].some(
    (text) => typeof text === 'string' && /^namespace/i.test(text.replace(/^5 NOT_FOUND: /, '')),
  );
}
