/** What people read where nothing polls. Pure. */
export function noPollerText(taskQueue: string): string {
  return `no worker polls task queue "${taskQueue}", so flows stand still; start one with "tramita worker", or correct TRAMITA_TASK_QUEUE`;
}

/** `queue` is that of the charged calls of one account. Pure. */
export function noCallPollerText(queue: string): string {
  return `no worker polls "${queue}": charged calls of its account wait; give the workers that account`;
}

/** Of one flow. Pure. */
export function callWaitsText(queue: string): string {
  return `no worker polls "${queue}", where what it waits for is to be done: none runs, or each is busy; start one that serves this queue`;
}
