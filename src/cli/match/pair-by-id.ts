/** Pairs rows of the statement with calls by the ids that the service gave in its answers. Pure. */
import type { Call } from './call.js';
import type { StatementRow } from './statement.js';

export interface Pairs {
  readonly rowsOf: ReadonlyMap<Call, readonly StatementRow[]>;
  /** Rows without an id, or whose ids belong to no call or to several. */
  readonly unpaired: readonly StatementRow[];
}

/** A row whose ids name several calls belongs to none of them. */
export function pairById(rows: readonly StatementRow[], calls: readonly Call[]): Pairs {
  const byLogId = new Map<string, Set<Call>>();
  const byRequestId = new Map<string, Set<Call>>();
  const addToIndex = (index: Map<string, Set<Call>>, id: string, call: Call): void => {
    index.set(id, (index.get(id) ?? new Set<Call>()).add(call));
  };
  for (const call of calls) {
    if (call.logId !== undefined) addToIndex(byLogId, call.logId, call);
    for (const id of call.requestIds) addToIndex(byRequestId, id, call);
  }
  const rowsOf = new Map<Call, readonly StatementRow[]>();
  const unpaired: StatementRow[] = [];
  for (const row of rows) {
    const named = new Set([
      ...(row.logId === undefined ? [] : (byLogId.get(row.logId) ?? [])),
      ...(row.requestId === undefined ? [] : (byRequestId.get(row.requestId) ?? [])),
    ]);
    const [call] = named;
    if (call === undefined || named.size > 1) unpaired.push(row);
    else rowsOf.set(call, [...(rowsOf.get(call) ?? []), row]);
  }
  return { rowsOf, unpaired };
}
