/** Learns from rows whose call is known by its id how the statement names each operation. Pure. */
import type { Pairs } from './pair-by-id.js';
import type { StatementRow } from './statement.js';

export interface Labels {
  /** This operation was seen with this label. */
  readonly isOf: (label: string | undefined, operation: string) => boolean;
  /** Can a row with this label be this operation? No only if both were seen often, and never together. */
  readonly mayBe: (label: string | undefined, operation: string) => boolean;
  /** Rows of this operation are on the statement, so it was not left out by a filter. */
  readonly isShown: (operation: string) => boolean;
}

const OFTEN = 3;

export function learnLabels({ rowsOf }: Pairs): Labels {
  const labels = new Map<string, Map<string, number>>();
  const seen = new Map<string, number>();
  for (const [{ intent }, rows] of rowsOf) {
    for (const { label, amount } of rows) {
      if (amount <= 0) continue;
      seen.set(intent.operation, (seen.get(intent.operation) ?? 0) + 1);
      if (label === undefined) continue;
      const operations = labels.get(label) ?? new Map<string, number>();
      labels.set(label, operations.set(intent.operation, (operations.get(intent.operation) ?? 0) + 1));
    }
  }
  const isOf: Labels['isOf'] = (label, operation) => label !== undefined && labels.get(label)?.has(operation) === true;
  return {
    isOf,
    isShown: (operation) => seen.has(operation),
    mayBe: (label, operation) => {
      if (isOf(label, operation)) return true;
      const others = label === undefined ? undefined : labels.get(label);
      const isOthers = [...(others?.values() ?? [])].some((count) => count >= OFTEN);
      return !(isOthers && (seen.get(operation) ?? 0) >= OFTEN);
    },
  };
}

/** Can this row be the charge of this call, by the ids of both? */
export function idsAgree(
  row: Pick<StatementRow, 'logId' | 'requestId'>,
  call: { readonly logId: string | undefined; readonly requestIds: readonly string[]; readonly undecided: boolean },
): boolean {
  if (row.logId !== undefined && call.logId !== undefined) return row.logId === call.logId;
  // The service may have given an undecided call another request id than its answer named.
  if (call.undecided || row.requestId === undefined || call.requestIds.length === 0) return true;
  return call.requestIds.includes(row.requestId);
}
