/** The first run of a chain of runs: those that continue it, and those that replace one of them after a reset. Pure. */

/** The part that is read here of what a client's `describe()` returns. */
interface DescribedRun {
  readonly runId: string;
  readonly raw: { readonly workflowExecutionInfo?: { readonly firstRunId?: string | null } | null };
}

/** Older servers leave it empty: then the run counts as a chain of its own. */
export function firstRunOf({ raw, runId }: DescribedRun): string {
  const first = raw.workflowExecutionInfo?.firstRunId ?? '';
  return first === '' ? runId : first;
}
