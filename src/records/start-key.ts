/** By what a start is found again: the caller's own key, or else the first run. Pure. */

/** Before the first run's id in the column of `once`, where a caller's own key has no line break. */
export const RUN_KEY = 'run\n';

/** `once`, or the first run where there is none. */
export type StartKey = string | { readonly firstRunId: string };

export function keyOfStart(start: StartKey): string {
  return typeof start === 'string' ? start : `${RUN_KEY}${start.firstRunId}`;
}
