/** Runs that belong together: those that continue one, and those that took its place by a reset, name the same first run. Pure. */

/** What a client's `describe()` gives of a run, as far as it is read here. */
interface DescribedRun {
  readonly runId: string;
  readonly raw: { readonly workflowExecutionInfo?: { readonly firstRunId?: string | null } | null };
}

/** Older servers leave it empty: then the run counts as a chain of its own. */
export function firstRunOf({ raw, runId }: DescribedRun): string {
  const first = raw.workflowExecutionInfo?.firstRunId ?? '';
  return first === '' ? runId : first;
}
