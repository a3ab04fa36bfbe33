/** Waits in real time; false when the sandbox ended meanwhile. */
export function pause(ms: number, ended: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (ended.aborted) {
      resolve(false);
      return;
    }
    const stop = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      ended.removeEventListener('abort', stop);
      resolve(true);
    }, ms);
    ended.addEventListener('abort', stop, { once: true });
  });
}
