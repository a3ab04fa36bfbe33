/** What `tramita subject` tells of counts and erasures. Pure. */
import type { Erased } from '../../privacy/index.js';
import { formatTable } from '../output/output.js';

export interface Counted {
  readonly total: number;
  readonly places: Readonly<Record<string, number>>;
  /** Running flows: like schedules they stop an erasure without `--cancel`. */
  readonly workflowIds: readonly string[];
  readonly schedules: readonly string[];
}

export function heldText(places: Counted['places']): string {
  const lines = Object.entries(places).map(([place, count]) => [place, String(count)]);
  return lines.length === 0 ? 'nothing is held' : formatTable(['PLACE', 'HELD'], lines);
}

/** What an erasure would remove, and what would stop it. */
export function planLines({ places, workflowIds, schedules }: Counted, cancel: boolean | undefined): readonly string[] {
  const isStopped = cancel !== true && workflowIds.length + schedules.length > 0;
  return [
    heldText(places),
    ...blockersOf({ workflowIds, schedules }),
    isStopped ? `${STOPPED}, and add --yes` : 'nothing was erased: add --yes',
  ];
}

export const publicResult = (erased: Erased): unknown =>
  erased.kind === 'running' ? erased : { ...erased, complete: erased.waitsFor.length === 0 };

const STOPPED = 'nothing was erased: wait for the flows and remove the schedules, or add --cancel';

export function linesOf(erased: Erased): readonly string[] {
  if (erased.kind === 'running') {
    return [...blockersOf(erased), STOPPED];
  }
  const { counts, waitsFor, erasureId } = erased;
  const lines = Object.entries(counts).map(([place, count]) => [place, String(count)]);
  return [
    lines.length === 0 ? 'nothing was held' : formatTable(['PLACE', 'ERASED'], lines),
    waitsFor.length === 0
      ? `erasure ${erasureId} is complete`
      : `erasure ${erasureId} waits for the disks of ${waitsFor.join(', ')}: each worker cleans its own within minutes`,
  ];
}

const blockersOf = ({ workflowIds, schedules }: Pick<Counted, 'workflowIds' | 'schedules'>): readonly string[] => [
  ...workflowIds.map((id) => `still running: ${id}`),
  ...schedules.map((name) => `scheduled: ${name}`),
];
