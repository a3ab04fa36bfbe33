/** What people read where nothing polls. Pure. */
export function noPollerText(taskQueue: string): string {
  return `no worker polls task queue "${taskQueue}", so flows stand still; start one with "tramita worker", or correct TRAMITA_TASK_QUEUE`;
}
