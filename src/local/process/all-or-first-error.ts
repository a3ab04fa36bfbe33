/**
 * Several parts at once: tells the others when one fails, and waits for all of them, because a part that is still starting
 * must be among those that are stopped afterwards. Throws the first failure, not what it caused.
 */
export async function allOrFirstError<T extends readonly Promise<unknown>[]>(
  failed: AbortController,
  parts: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  for (const part of parts) part.catch((error: unknown) => failed.abort(error));
  const settled = await Promise.allSettled(parts);
  if (failed.signal.aborted) throw failed.signal.reason;
  return settled.map((part) => (part as PromiseFulfilledResult<unknown>).value) as never;
}
