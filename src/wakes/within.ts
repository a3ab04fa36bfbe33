/** What `work` comes to, or `late` when the time is over: the work goes on then, and its end is not waited for. */
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

/** Whether `work` ends well within that time. Never rejects. */
export function answersWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const answered = work.then(
    () => true,
    () => false,
  );
  return within(ms, answered, false);
}
