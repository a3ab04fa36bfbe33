/** Waits for a condition with a deadline: the only way tests wait. */
export async function until<T>(
  look: () => Promise<T | undefined> | T | undefined,
  {
    withinMs = 30_000,
    everyMs = 50,
    what = 'the condition',
  }: { withinMs?: number; everyMs?: number; what?: string } = {},
): Promise<T> {
  const deadlineMs = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadlineMs) throw new Error(`waited ${withinMs} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
