/** Waits for a condition with a deadline: the only way tests wait. Fails only after a look that began after the deadline. */
export async function until<T>(
  look: () => Promise<T | false | undefined> | T | false | undefined,
  {
    withinMs = 60_000,
    everyMs = 50,
    what = 'the condition',
  }: { withinMs?: number; everyMs?: number; what?: string } = {},
): Promise<T> {
  const deadlineMs = Date.now() + withinMs;
  for (;;) {
    const lookedAtMs = Date.now();
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (lookedAtMs > deadlineMs) throw new Error(`waited ${withinMs} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
