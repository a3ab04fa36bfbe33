/** A history without what differs between two runs of the same flow: times, ids, payload bytes, headers, the borders of tasks. */
import type { History } from '@temporalio/common/lib/proto-utils.js';

const OWN_TO_A_RUN =
  /time|timestamp|^eventId$|EventId$|taskId|[rR]unId|requestId|identity|^header$|workflowId|^memo$|searchAttributes|^version$|sdkMetadata|workerMayIgnore|workerVersion|userMetadata/i;

export function plainHistory({ events }: History): readonly unknown[] {
  // Where a workflow task ends depends on what else arrived meanwhile.
  return (events ?? [])
    .map((event) => plain(event) as object)
    .filter((event) => !Object.keys(event).some((name) => name.startsWith('workflowTask')));
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return 'bytes';
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'string') return value.replaceAll(/[0-9a-f-]*\d[0-9a-f.-]*/g, '#');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => !OWN_TO_A_RUN.test(name) && member !== null && member !== undefined)
      .map(([name, member]) => [name, plain(member)]),
  );
}
