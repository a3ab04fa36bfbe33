/** Journal lines → what was kept since the last reset. Pure. */
import type { Charge, Flushed } from './charge-book.js';
import type { Refresh } from './refreshes.js';

export type JournalLine =
  | ({ readonly kind: 'charge' } & Charge)
  | { readonly kind: 'flushed'; readonly n: number; readonly flushed: Flushed }
  | ({ readonly kind: 'refresh' } & Refresh)
  | { readonly kind: 'reset' };

export interface Kept {
  readonly charges: readonly Charge[];
  readonly refreshes: readonly Refresh[];
  /** Number of the first charge since the last reset. */
  readonly firstNumber: number;
}

/** The file is the sandbox's own, so its lines are taken at their word. */
export function restoreKept(lines: readonly unknown[]): Kept {
  const all = lines as readonly JournalLine[];
  const start = all.map((line) => line.kind).lastIndexOf('reset') + 1;
  const before = all.slice(0, start).filter((line) => line.kind === 'charge').length;
  const charges = new Map<number, Charge>();
  const refreshes: Refresh[] = [];
  for (const line of all.slice(start)) {
    if (line.kind === 'charge') {
      const { kind: _kind, ...charge } = line;
      charges.set(charge.n, { ...charge, connection: null });
    } else if (line.kind === 'refresh') {
      const { kind: _kind, ...refresh } = line;
      refreshes.push(refresh);
    } else if (line.kind === 'flushed') {
      const charge = charges.get(line.n);
      if (charge !== undefined) charges.set(line.n, { ...charge, flushed: line.flushed });
    }
  }
  return { charges: [...charges.values()], refreshes, firstNumber: before + 1 };
}
