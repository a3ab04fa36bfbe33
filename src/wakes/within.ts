/** The result of `work`, or `late` after `ms`. The work then runs on, and nobody waits for its end. */
export async function within<T, Late>(ms: number, work: Promise<T>, late: Late): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<Late>((resolve) => {
    timer = setTimeout(resolve, ms, late);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** True if `work` resolves within that time. Never rejects. */
export function answersWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const answered = work.then(
    () => true,
    () => false,
  );
  return within(ms, answered, false);
}
