/**
 * Waits for a condition with a deadline: the only way tests wait. Fails only after a look that began after the deadline.
 * Without `everyMs` the looks take a tenth of the time at most, because their work delays what they wait for.
 */
export async function until<T>(
  look: () => Promise<T | false | undefined> | T | false | undefined,
  { withinMs = 60_000, everyMs, what = 'the condition' }: { withinMs?: number; everyMs?: number; what?: string } = {},
): Promise<T> {
  const deadlineMs = Date.now() + withinMs;
  for (;;) {
    const lookedAtMs = Date.now();
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (lookedAtMs > deadlineMs) throw new Error(`waited ${withinMs} ms for ${what}`);
    const pauseMs = everyMs ?? Math.min(Math.max(50, 10 * (Date.now() - lookedAtMs)), 500);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
