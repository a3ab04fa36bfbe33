/** For rows and calls that no id pairs: which calls may have caused a row, and which rows a call may have caused. Pure. */
import type { Call } from './call.js';
import { idsAgree, type Labels } from './labels.js';
import type { Pairs } from './pair-by-id.js';
import type { StatementRow } from './statement.js';

export interface Candidates {
  readonly rowsFor: (call: Call) => readonly StatementRow[];
  readonly callsFor: (row: StatementRow) => readonly Call[];
}

/** Amounts are not compared: a charge may be higher or lower than expected. */
export function findCandidates(calls: readonly Call[], { rowsOf, unpaired }: Pairs, labels: Labels): Candidates {
  const rows = [...unpaired].sort((a, b) => a.fromMs - b.fromMs);
  const longestMs = rows.reduce((most, { fromMs, toMs }) => Math.max(most, toMs - fromMs), 0);
  const byCall = new Map<Call, StatementRow[]>();
  const byRow = new Map<StatementRow, Call[]>();
  for (const call of calls) {
    if (rowsOf.has(call) || call.intent.state === 'not_sent') continue;
    const { window } = call;
    for (let at = firstFrom(rows, window.fromMs - longestMs); at < rows.length; at += 1) {
      const row = rows[at];
      if (row === undefined || row.fromMs > window.toMs) break;
      if (row.toMs < window.fromMs || !idsAgree(row, call) || !labels.mayBe(row.label, call.intent.operation)) continue;
      byCall.set(call, [...(byCall.get(call) ?? []), row]);
      byRow.set(row, [...(byRow.get(row) ?? []), call]);
    }
  }
  return { rowsFor: (call) => byCall.get(call) ?? [], callsFor: (row) => byRow.get(row) ?? [] };
}

/** Index of the first row that begins at or after this instant. */
function firstFrom(rows: readonly StatementRow[], fromMs: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((rows[middle]?.fromMs ?? Infinity) < fromMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
