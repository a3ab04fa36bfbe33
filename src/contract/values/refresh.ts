/** A refresh ends by the status of its case: it needs no request id, and no answer of it can be lost. Pure. */
export function goesByStatus(operation: string): boolean {
  return operation === 'requestRefresh';
}
