/** How a read that should be free and was charged is booked, in the ledger and in its flow. Pure. */

/** The step that it is booked under. No other step has this name: an operation may be called `free`, but its pages have numbers or hashes. */
export function freeStep(operation: string): string {
  return `free/${operation}`;
}
